package tutti.coll.tck;

import tutti.coll.CollGroup;

/** The ranks of one group of an intercommunicator. */
record LocalGroup(int rank, int size) implements CollGroup {
    @Override
    public int parentRank(final int of) {
        return of;
    }
}
