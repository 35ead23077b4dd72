package tutti.coll.basic;

import tutti.coll.Reduction;

/** A reduction that is only looked at. */
record Arithmetic(long elementBytes, boolean isCommutative) implements Reduction { }
