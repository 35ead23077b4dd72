/** Module {@code smp}: shared memory inside a node, hierarchy across nodes. */
package tutti.coll.smp;
