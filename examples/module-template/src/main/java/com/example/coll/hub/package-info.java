/** Module {@code hub}: the root talks to everybody itself. A module exports nothing, so this package is the module's own. */
package com.example.coll.hub;
