/** Module {@code ring}: algorithms that pass segments from neighbour to neighbour. */
package tutti.coll.ring;
