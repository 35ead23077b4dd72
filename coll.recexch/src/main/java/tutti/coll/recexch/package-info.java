/** Module {@code recexch}: recursive exchange, doubling and halving. */
package tutti.coll.recexch;
