package tutti.runtime.fault;

/**
 * Input of a rank to an {@link Agreement}, and its outcome: votes are combined by {@link #and}, in any order and any number of times.
 *
 * @param flag         the outcome has the bits that are set in all votes
 * @param failed       ranks that have failed; the outcome has those of all votes
 * @param acknowledged ranks whose failure was acknowledged; the outcome has those that are in all votes
 */
public record Vote(int flag, RankSet failed, RankSet acknowledged) {
    /** Returns the combination with another vote, which is idempotent, commutative and associative. */
    public Vote and(final Vote other) {
        return new Vote(flag & other.flag, failed.union(other.failed), acknowledged.intersection(other.acknowledged));
    }

    /** Returns this vote with further ranks that have failed. */
    Vote withFailed(final RankSet ranks) {
        return new Vote(flag, failed.union(ranks), acknowledged);
    }
}
