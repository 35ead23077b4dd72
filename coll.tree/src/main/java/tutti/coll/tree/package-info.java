/** Module {@code tree}: algorithms along k-nomial and k-ary trees. */
package tutti.coll.tree;
