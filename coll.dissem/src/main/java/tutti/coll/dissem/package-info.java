/** Module {@code dissem}: dissemination, after Bruck. */
package tutti.coll.dissem;
