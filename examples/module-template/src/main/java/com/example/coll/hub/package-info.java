/**
 * The module {@code hub}: an example of a collective module. A module bundle exports no package.
 *
 * <pre>{@code
 *   HubModule -- query(HubParameters: ranks) --> AlgorithmTable: DisseminationBarrier, LinearBcast
 *   both algorithms -- send, recv, fence --> Plan
 * }</pre>
 */
package com.example.coll.hub;
