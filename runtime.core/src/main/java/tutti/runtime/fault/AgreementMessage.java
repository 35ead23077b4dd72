package tutti.runtime.fault;

import org.jspecify.annotations.Nullable;

/** Message of an {@link Agreement} between two ranks. */
public sealed interface AgreementMessage {
    /** Returns the leader for which the message was sent. All ranks below it have failed. */
    int leader();

    /**
     * The votes of some ranks, on the way to the leader.
     *
     * @param covered the ranks whose votes are in it
     * @param vote    the combination of their votes
     * @param outcome the outcome, if one of these ranks decided under an earlier leader
     */
    record Report(int leader, RankSet covered, Vote vote, @Nullable Vote outcome) implements AgreementMessage {
        /** Returns a report of the same leader with the contents of both. */
        Report and(final Report other) {
            return new Report(leader, covered.union(other.covered), vote.and(other.vote), outcome != null ? outcome : other.outcome);
        }
    }

    /**
     * The outcome, on the way from the leader that decided.
     *
     * @param outcome the outcome of the agreement
     */
    record Decision(int leader, Vote outcome) implements AgreementMessage {
    }
}
