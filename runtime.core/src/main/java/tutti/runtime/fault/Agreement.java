package tutti.runtime.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.fault.AgreementMessage.Decision;
import tutti.runtime.fault.AgreementMessage.Report;

/**
 * State of one agreement at one rank: all ranks vote, and all that survive get the same outcome, whichever ranks fail, and whenever. Immutable; each
 * event returns the next state and the messages to send. The algorithm follows Herault et al., "Practical Scalable Consensus for Pseudo-Synchronous
 * Distributed Systems", SC 2015, the early returning agreement.
 *
 * <p><b>Algorithm.</b> The leader is the lowest rank that is not known to have failed. The ranks form a binomial tree, in which the children of a
 * failed rank belong to its nearest live ancestor, or to the leader. A rank that has voted and knows the votes of all live ranks of its subtree
 * reports to its parent, and again when the parent fails or when it receives more. The leader decides when it knows the votes of all live ranks, and
 * the decision goes down the tree, and to ranks that have reported past a failed parent. When the leader fails, all ranks, also those that have
 * decided, report anew to the next one.
 *
 * <p>Why there is one outcome: a rank that has reported to a leader takes no decision of an earlier leader any more. A leader has reports of all live
 * ranks before it decides. So either one of them had decided before, and its report has the outcome, which the leader takes; or none has, and none of
 * them will take an earlier leader's decision.
 *
 * <p><b>What is needed.</b> The losses that are told are real, and every survivor is told of every loss, in any order. Messages from one rank to
 * another arrive in their order; those of a failed rank may be lost from some point on. A decided rank still has to take part. It may forget
 * an agreement when all survivors have decided: for example, when it has decided a later one, in which each rank votes after it has decided this one.
 *
 * <p><b>Guarantees.</b>
 * <ul>
 * <li>The outcome is the same at all ranks that survive. A rank that fails may have decided otherwise, together with ranks that have all failed.</li>
 * <li>The outcome combines the votes of at least all ranks that survive.</li>
 * <li>Its failed ranks have failed. They are those of the votes, and those that the leader knew which decided first.</li>
 * <li>Every rank that survives decides, when all ranks that survive have voted and were told of all losses.</li>
 * </ul>
 *
 * <p><b>Cost</b> for p ranks, with α the latency of a message, β the time of a byte and n the bytes of a message: without failures, 2(p - 1)
 * messages and the time 2 log2 p (α + nβ). The longest chain of messages that wait for each other has 2 log2 p. A set of ranks adds 2 to 6 bytes
 * for each range of successive ranks, so a message has some 20 to 30 bytes if few ranks have failed. The failure of a rank that does not lead adds at
 * most two messages for each of its children, and log2 p if its own report arrives late. The failure of the leader starts over, with 2(p - 1)
 * messages.
 */
public final class Agreement {
    /**
     * A message to send.
     *
     * @param to rank that receives it, which is not known to have failed
     */
    public record Sending(int to, AgreementMessage message) {
    }

    /**
     * Result of an event.
     *
     * @param next     the state after the event
     * @param sendings the messages to send, in this order
     */
    public record Step(Agreement next, List<Sending> sendings) {
    }

    /**
     * What happened under one leader.
     *
     * @param received  the reports that were received
     * @param reporters the ranks that sent them
     * @param sent      the last report to the present parent
     * @param isDecided whether this leader's decision is known
     */
    private record Round(int leader, @Nullable Report received, RankSet reporters, @Nullable Report sent, boolean isDecided) {
        static Round of(final int leader) {
            return new Round(leader, null, RankSet.none(), null, false);
        }

        Round received(final int from, final Report report) {
            return new Round(leader, received == null ? report : received.and(report), reporters.with(from), sent, isDecided);
        }

        Round sent(final @Nullable Report report) {
            return new Round(leader, received, reporters, report, isDecided);
        }

        /** Returns the round after the decision, in which reports are needed no more. */
        Round decided() {
            return new Round(leader, null, RankSet.none(), null, true);
        }
    }

    private final int rank;
    private final AgreementTree tree;
    private final RankSet subtree;
    private final RankSet dead;
    private final @Nullable Vote vote;
    private final @Nullable Vote outcome;
    private final Round round;

    private Agreement(final int rank, final AgreementTree tree, final RankSet subtree, final RankSet dead, final @Nullable Vote vote,
        final @Nullable Vote outcome, final Round round) {
        this.rank = rank;
        this.tree = tree;
        this.subtree = subtree;
        this.dead = dead;
        this.vote = vote;
        this.outcome = outcome;
        this.round = round;
    }

    /**
     * Starts an agreement at a rank.
     *
     * @param size number of ranks
     * @param dead ranks that are known to have failed, which may differ from those that other ranks know; without this rank
     */
    public static Agreement of(final int rank, final int size, final RankSet dead) {
        Objects.checkIndex(rank, size);
        final AgreementTree tree = new AgreementTree(size);
        final Agreement start = new Agreement(rank, tree, tree.subtree(rank), RankSet.none(), null, null, Round.of(0));
        start.check(dead);
        return start.knowing(dead.minus(RankSet.of(rank)));
    }

    /** Returns the outcome; null until it is decided. */
    public @Nullable Vote outcome() {
        return outcome;
    }

    /** Returns whether this rank has voted. */
    public boolean hasVoted() {
        return vote != null;
    }

    /** Returns the ranks that are known to have failed. */
    public RankSet dead() {
        return dead;
    }

    /** Returns the leader, as far as this rank knows. */
    public int leader() {
        return round.leader;
    }

    /** Votes, once. */
    public Step vote(final Vote own) {
        if (vote != null) {
            throw new IllegalStateException("voted already: rank=" + rank);
        }
        check(own.failed());
        check(own.acknowledged());
        return new Agreement(rank, tree, subtree, dead, own, outcome, round).settle();
    }

    /** Takes note of failed ranks. A rank is not told of its own failure: it is ignored. */
    public Step lost(final RankSet ranks) {
        check(ranks);
        return knowing(dead.union(ranks.minus(RankSet.of(rank)))).settle();
    }

    /**
     * Receives a message of another rank, also of one that has failed.
     *
     * @throws IllegalArgumentException if it does not fit the number of ranks
     */
    public Step received(final int from, final AgreementMessage message) {
        if (from < 0 || from >= tree.size() || from == rank || message.leader() >= tree.size()) {
            throw new IllegalArgumentException("not a message for rank " + rank + " of " + tree.size() + ": from=" + from + ", message=" + message);
        }
        if (message.leader() > rank) {
            // the sender was told that this rank has failed
            return new Step(this, List.of());
        }
        return switch (message) {
            case final Report report -> received(from, report);
            case final Decision decision -> received(decision);
        };
    }

    private Step received(final int from, final Report report) {
        check(report.covered());
        final Agreement known = knowing(dead.union(RankSet.all(report.leader())));
        if (report.leader() < known.round.leader) {
            return known.settle();
        }
        if (known.round.isDecided) {
            return new Step(known, known.dead.contains(from) ? List.of()
                : List.of(new Sending(from, new Decision(known.round.leader, Objects.requireNonNull(known.outcome)))));
        }
        return known.with(known.round.received(from, report)).settle();
    }

    private Step received(final Decision decision) {
        if (decision.leader() < round.leader || decision.leader() == round.leader && round.isDecided) {
            return new Step(this, List.of());
        }
        final Agreement known = new Agreement(rank, tree, subtree, dead, vote, outcome != null ? outcome : decision.outcome(), round)
            .knowing(dead.union(RankSet.all(decision.leader())));
        return decision.leader() == known.round.leader ? known.decided(decision.outcome()) : known.settle();
    }

    private void check(final RankSet ranks) {
        if (ranks.next(tree.size()) >= 0) {
            throw new IllegalArgumentException("no such rank of " + tree.size() + ": " + ranks);
        }
    }

    private Agreement with(final Round next) {
        return new Agreement(rank, tree, subtree, dead, vote, outcome, next);
    }

    /** Returns this state with more failed ranks: a new leader starts over, a new parent has no report yet. */
    private Agreement knowing(final RankSet failed) {
        if (failed.equals(dead)) {
            return this;
        }
        final int leader = failed.lowestMissing();
        Round next = round;
        if (leader != round.leader) {
            next = Round.of(leader);
        } else if (rank != leader && tree.parent(rank, failed) != tree.parent(rank, dead)) {
            next = round.sent(null);
        }
        return new Agreement(rank, tree, subtree, failed, vote, outcome, next);
    }

    /** Reports, or decides at the leader, if the votes that are needed are known. */
    private Step settle() {
        final Vote own = vote;
        if (own == null || round.isDecided) {
            return new Step(this, List.of());
        }
        Report report = new Report(round.leader, RankSet.of(rank), own, outcome);
        if (round.received != null) {
            report = report.and(round.received);
        }
        final RankSet done = report.covered().union(dead);
        if (rank == round.leader) {
            if (done.size() < tree.size()) {
                return new Step(this, List.of());
            }
            final Vote earlier = report.outcome();
            final Vote result = earlier != null ? earlier : report.vote().withFailed(dead);
            return new Agreement(rank, tree, subtree, dead, vote, result, round).decided(result);
        }
        if (!done.containsAll(subtree) || report.equals(round.sent)) {
            return new Step(this, List.of());
        }
        return new Step(with(round.sent(report)), List.of(new Sending(tree.parent(rank, dead), report)));
    }

    /** Passes the present leader's decision on, first to the ranks with the largest subtrees. */
    private Step decided(final Vote result) {
        final int[] receivers = tree.children(rank, dead).union(round.reporters).minus(dead).toArray();
        final Decision decision = new Decision(round.leader, result);
        final List<Sending> sendings = new ArrayList<>(receivers.length);
        for (int i = receivers.length - 1; i >= 0; i--) {
            sendings.add(new Sending(receivers[i], decision));
        }
        return new Step(with(round.decided()), List.copyOf(sendings));
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Agreement a && rank == a.rank && tree.equals(a.tree) && dead.equals(a.dead) && round.equals(a.round)
            && Objects.equals(vote, a.vote) && Objects.equals(outcome, a.outcome);
    }

    @Override
    public int hashCode() {
        return Objects.hash(rank, tree, dead, vote, outcome, round);
    }

    @Override
    public String toString() {
        return "Agreement[rank=" + rank + ", size=" + tree.size() + ", dead=" + dead + ", vote=" + vote + ", outcome=" + outcome + ", round=" + round
            + "]";
    }
}
