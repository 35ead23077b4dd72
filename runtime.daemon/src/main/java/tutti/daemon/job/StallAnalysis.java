package tutti.daemon.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tutti.daemon.monitor.JobActivity;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.FileState;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.RankState.Activity;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.inspect.WindowState;

/**
 * What the states of a job's ranks mean: who waits for whom, and which ranks can never go on. Immutable.
 *
 * <p>A rank can go on if it computes, if nothing is known of it, or if what it waits for may still come: a message from a rank that can go on, or a
 * collective of which all ranks that have not begun it can go on. A rank that has finalized or ended sends nothing. The ranks that are left wait for
 * each other, or for ranks that have ended: a deadlock. A call that needs a rank that has failed ends with an error, where the job goes on: its
 * rank can go on. The states were not taken at one moment, so only a deadlock that is found twice is one.
 */
final class StallAnalysis {
    private static final int MOST_RANKS = 16;
    private static final int MOST_MESSAGES = 4;
    private static final int MOST_NAMES = 8;
    /** Most ranks for which a rank waits that a picture has. */
    private static final int MOST_TARGETS = 16;
    private static final String UNKNOWN = "unknown";
    private static final long SECOND = 1000;

    /** Number of the ranks of COMM_WORLD. */
    private final int size;
    /** These, and those that have taken the places of failed ones. */
    private final List<Integer> ranks;
    private final Map<Integer, RankState> states = new HashMap<>();
    private final Set<Integer> failed;
    private final IntFunction<String> nodeOf;
    private final Set<Integer> stuck = new TreeSet<>();

    /** Analyses states of a job without failed ranks, as the other constructor does. */
    StallAnalysis(final int size, final List<RankState> known, final IntFunction<String> nodeOf) {
        this(size, List.of(), known, List.of(), nodeOf);
    }

    /**
     * Analyses states.
     *
     * @param size   number of ranks with which the job has begun
     * @param others ranks that have taken the places of failed ones
     * @param known  the states that are known
     * @param failed ranks that have failed while the job goes on; if their states are known, they have ended
     * @param nodeOf returns the name of a rank's node
     */
    StallAnalysis(final int size, final Collection<Integer> others, final List<RankState> known, final Collection<Integer> failed,
        final IntFunction<String> nodeOf) {
        this.failed = Set.copyOf(failed);
        this.size = size;
        this.ranks = Stream.concat(IntStream.range(0, size).boxed(), others.stream()).toList();
        this.nodeOf = nodeOf;
        known.forEach(s -> states.put(s.rank(), s));
        final Set<Integer> free = new HashSet<>();
        boolean grows = true;
        while (grows) {
            grows = false;
            for (final int r : ranks) {
                if (!free.contains(r) && mayGoOn(r, free)) {
                    free.add(r);
                    grows = true;
                }
            }
        }
        known.stream().filter(s -> s.activity() == Activity.WAITING && !free.contains(s.rank())).forEach(s -> stuck.add(s.rank()));
    }

    private boolean mayGoOn(final int rank, final Set<Integer> free) {
        final RankState state = states.get(rank);
        if (state == null) {
            return true;
        }
        return switch (state.activity()) {
            case STARTING, COMPUTING -> true;
            case FINALIZED, ENDED -> false;
            case WAITING -> state.waits().stream().anyMatch(w -> mayEnd(rank, w, free));
        };
    }

    private boolean mayEnd(final int rank, final PendingWait wait, final Set<Integer> free) {
        final Set<Integer> targets = targets(rank, wait);
        return switch (wait.kind().need()) {
            // a receive from any rank goes on without those that have failed
            case ONE -> targets.stream().anyMatch(t -> t < 0 || free.contains(t) || t == wait.peer() && failed.contains(t));
            // where all have begun, its messages are on their way
            case ALL -> targets.stream().allMatch(t -> t < 0 || free.contains(t) || failed.contains(t));
            case NONE -> true;
        };
    }

    /** Returns the ranks that something is waited for; negative for ranks that are not of the job, or not known. */
    private Set<Integer> targets(final int rank, final PendingWait wait) {
        if (wait.kind() == PendingWait.Kind.WINDOW_LOCK) {
            return holders(wait);
        }
        if (!wait.kind().isOfAll() && wait.peer() != PendingWait.ANY) {
            return Set.of(wait.peer());
        }
        final List<Integer> members = !wait.members().isEmpty() ? wait.members()
            : wait.kind() == PendingWait.Kind.FINALIZE ? ranks : IntStream.range(0, size).boxed().toList();
        return members.stream().filter(m -> m != rank && (m < 0 || !wait.kind().isOfAll() || !hasBegun(m, wait)))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the ranks that hold a lock on the memory of a rank; none where it is being granted, or the rank's node did not answer. */
    private Set<Integer> holders(final PendingWait wait) {
        final RankState target = states.get(wait.peer());
        return target == null ? Set.of() : target.windows().stream().filter(w -> w.context() == wait.context()).flatMap(w -> w.holders().stream())
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns whether a rank has begun an operation of all ranks: it counts it, or waits in it. */
    private boolean hasBegun(final int member, final PendingWait wait) {
        final RankState state = states.get(member);
        return state != null && switch (wait.kind()) {
            case COLLECTIVE -> comm(state, wait).calls() > wait.number() || isIn(state, wait);
            case PERSISTENT -> comm(state, wait).calls() > wait.number()
                && comm(state, wait).persistent().getOrDefault(wait.number(), Long.MAX_VALUE) > wait.tag();
            case CREATION -> comm(state, wait).creations() > wait.number();
            case FINALIZE -> state.activity() == Activity.FINALIZED || state.activity() == Activity.ENDED || isIn(state, wait);
            default -> isIn(state, wait);
        };
    }

    /** Returns whether a rank waits in an operation, or in a later one of the kind. */
    private static boolean isIn(final RankState state, final PendingWait wait) {
        return state.waits().stream().anyMatch(w -> w.kind() == wait.kind() && w.context() == wait.context() && w.number() >= wait.number());
    }

    private static CommCalls comm(final RankState state, final PendingWait wait) {
        return state.comms().stream().filter(c -> c.context() == wait.context()).findFirst()
            .orElse(new CommCalls(wait.context(), 0, 0, Map.of()));
    }

    /** Returns the ranks that can never go on. */
    Set<Integer> stuck() {
        return stuck;
    }

    private RankState state(final int rank) {
        return Objects.requireNonNull(states.get(rank), "a stuck rank has a state");
    }

    /** Returns whether the ranks that can never go on are the same, and as they were, at an earlier time. */
    boolean isAs(final StallAnalysis earlier) {
        return stuck.equals(earlier.stuck) && stuck.stream().allMatch(r -> state(r).isAs(earlier.state(r)));
    }

    /** Returns whether no rank computes or may start to. */
    boolean doAllWait() {
        return states.size() == ranks.size()
            && states.values().stream().noneMatch(s -> s.activity() == Activity.STARTING || s.activity() == Activity.COMPUTING);
    }

    /** Returns whether some rank waits for another job. */
    boolean waitsForOtherJob() {
        return states.values().stream().anyMatch(s -> s.waits().stream().anyMatch(w -> w.kind().isOfOtherJob()
            || w.kind().need() != PendingWait.Need.NONE && targets(s.rank(), w).contains(PendingWait.ELSEWHERE)));
    }

    /** Returns whether it is known of some rank what it does. */
    boolean knowsAny() {
        return states.values().stream().anyMatch(s -> s.activity() != Activity.ENDED);
    }

    /** Returns whether some rank waits in MPI. */
    boolean doesAnyWait() {
        return states.values().stream().anyMatch(s -> s.activity() == Activity.WAITING);
    }

    /** Returns what the ranks do, those that can never go on first. */
    JobActivity ranks() {
        return new JobActivity(ranks.size(), report(), order().stream().limit(JobActivity.MOST).map(this::activity).toList(),
            stuck.stream().limit(JobActivity.MOST).toList(), cycle());
    }

    private JobActivity.RankActivity activity(final int rank) {
        final RankState s = states.get(rank);
        if (s == null) {
            return new JobActivity.RankActivity(rank, nodeOf.apply(rank), UNKNOWN, null, null, 0, List.of(), List.of());
        }
        return new JobActivity.RankActivity(rank, nodeOf.apply(rank), s.activity().name().toLowerCase(Locale.ROOT), s.call(), s.line(),
            s.waitedMillis(), s.waits().stream().limit(MOST_MESSAGES).map(w -> new JobActivity.RankWait(text(rank, w),
                targets(rank, w).stream().filter(t -> t >= 0).limit(MOST_TARGETS).toList()))
                .toList(),
            s.unreceived().stream().limit(MOST_MESSAGES).map(StallAnalysis::text).toList(),
            s.windows().stream().limit(MOST_MESSAGES).map(StallAnalysis::text).toList(),
            s.files().stream().limit(MOST_MESSAGES).map(StallAnalysis::text).toList());
    }

    /** Returns all ranks, those that can never go on first. */
    private List<Integer> order() {
        final List<Integer> order = new ArrayList<>(stuck);
        ranks.stream().filter(r -> !stuck.contains(r)).forEach(order::add);
        return order;
    }

    /** Returns the report: a line per rank, those that can never go on first, the cycle, and messages that nobody has received. */
    String report() {
        final List<String> lines = new ArrayList<>();
        final List<Integer> order = order();
        order.stream().limit(MOST_RANKS).forEach(r -> lines.add(line(r)));
        if (order.size() > MOST_RANKS) {
            lines.add("and " + (order.size() - MOST_RANKS) + " more ranks");
        }
        final List<Integer> cycle = cycle();
        if (!cycle.isEmpty()) {
            lines.add("cycle: " + cycle.stream().map(String::valueOf).collect(Collectors.joining(" -> ")));
        }
        order.stream().limit(MOST_RANKS).forEach(r -> messages(r, lines));
        order.stream().limit(MOST_RANKS).forEach(r -> windows(r, lines));
        order.stream().limit(MOST_RANKS).forEach(r -> files(r, lines));
        return String.join("\n", lines);
    }

    private String line(final int rank) {
        final RankState s = states.get(rank);
        final String name = "rank " + rank + " on node " + nodeOf.apply(rank);
        if (s == null && failed.contains(rank)) {
            return name + " has failed";
        }
        if (s == null) {
            return name + ": not known, its node did not answer";
        }
        final String where = s.line() == null ? "" : ", at " + s.line();
        return name + switch (s.activity()) {
            case STARTING -> " starts";
            case ENDED -> failed.contains(rank) ? " has failed" : " has ended";
            case FINALIZED -> " has called MPI.Finalize" + where;
            case COMPUTING -> s.waits().isEmpty() ? (s.call() == null ? " computes" : " is in " + s.call()) + where
                : waiting(s) + where + ", and has other threads that do not wait in MPI";
            case WAITING -> waiting(s) + where + (isBlocked(s) ? "" : ", for " + s.waitedMillis() / SECOND + " s");
        };
    }

    private static boolean isBlocked(final RankState s) {
        return s.waits().getFirst().kind() == PendingWait.Kind.LOCK;
    }

    private String waiting(final RankState s) {
        return (isBlocked(s) ? " is blocked on " : " waits in " + (s.call() == null ? "MPI" : s.call()) + " for ")
            + s.waits().stream().limit(MOST_MESSAGES).map(w -> text(s.rank(), w))
                .collect(Collectors.joining(" or "));
    }

    private String text(final int rank, final PendingWait wait) {
        final Set<Integer> targets = targets(rank, wait);
        final String who = wait.kind().isOfAll() && targets.isEmpty() ? "its messages"
            : wait.kind() == PendingWait.Kind.DISCONNECT || wait.kind().isOfAll() || wait.peer() != PendingWait.ANY
                ? names(targets) + failed(targets)
            : "any rank";
        final String comm = wait.communicator().isEmpty() ? ", a communicator that was freed" : ", " + wait.communicator();
        final String tagged = (wait.tag() == PendingWait.ANY ? "" : ", tag " + wait.tag()) + comm;
        return switch (wait.kind()) {
            case RECEIVE, PROBE -> "a message of " + who + tagged;
            case SEND -> who + " to receive" + tagged;
            case TRANSFER -> "the data of a message to or from " + who + tagged;
            case COLLECTIVE, FINALIZE -> who + comm;
            case PERSISTENT -> who + " to start a persistent collective" + comm;
            case CREATION -> who + " to create a communicator" + comm;
            case GROUP_CREATION -> who + " to create a communicator of a group, tag " + wait.number() + comm;
            case LEADER -> who + " to create an intercommunicator" + tagged;
            case MODULE -> "a message of a module of " + who + comm;
            case SELECTION -> "modules of a communicator that is being created";
            case CHECKPOINT -> who + " to save its state" + comm;
            case POINT -> "the nodes to say at which point it saves its state";
            case DISCONNECT -> "messages of " + who + " or to them, which are pending" + comm;
            case AGREEMENT -> "an agreement of the ranks that live" + comm;
            case RELEASE -> "operations that are pending" + comm;
            case BUFFER -> "the messages in its buffer to be received";
            case GENERALIZED -> "a generalized request, which the program completes";
            case ACCEPT -> "another job to connect to its port";
            case CONNECT -> "another job to accept it at a port";
            case ANSWER -> "an answer of another job";
            case SPAWN -> "spawned processes to call MPI.Init";
            case NAME -> "the nodes to publish or to find a name";
            case WINDOW -> "its accesses to the memory of " + who + " in a window";
            case WINDOW_LOCK -> "a lock on the memory of " + names(Set.of(wait.peer())) + comm
                + (targets.isEmpty() ? "" : ", which is held by " + who);
            case FILE -> "an access to a file";
            case LOCK -> wait.communicator() + " held by " + (wait.peer() == PendingWait.UNKNOWN ? "another thread of its JVM" : who);
        };
    }

    /** Returns which of some ranks have failed, in words; empty if none has. */
    private String failed(final Set<Integer> ranks) {
        final Set<Integer> gone = new TreeSet<>(ranks);
        gone.retainAll(failed);
        return gone.isEmpty() ? "" : " (" + names(gone) + (gone.size() == 1 ? " has failed)" : " have failed)");
    }

    private static String names(final Set<Integer> ranks) {
        final List<Integer> own = ranks.stream().filter(r -> r >= 0).toList();
        final String first = own.stream().limit(MOST_NAMES).map(String::valueOf).collect(Collectors.joining(", "));
        final String text =
            (own.size() == 1 ? "rank " : "ranks ") + first + (own.size() > MOST_NAMES ? " and " + (own.size() - MOST_NAMES) + " more" : "");
        return own.isEmpty() ? ranks.contains(PendingWait.UNKNOWN) ? "a rank that is not known" : "ranks of another job" : text;
    }

    /** Follows who waits for whom from the first rank that is stuck. Returns the ranks of a circle, the first again at its end; empty for none. */
    private List<Integer> cycle() {
        if (stuck.isEmpty()) {
            return List.of();
        }
        final List<Integer> path = new ArrayList<>();
        int next = stuck.iterator().next();
        while (next >= 0 && !path.contains(next)) {
            path.add(next);
            final int from = next;
            final RankState state = states.get(from);
            next = state == null || state.activity() != Activity.WAITING ? -1
                : state.waits().stream().flatMap(w -> targets(from, w).stream()).filter(t -> t >= 0).findFirst().orElse(-1);
        }
        if (next < 0) {
            return List.of();
        }
        final List<Integer> round = new ArrayList<>(path.subList(path.indexOf(next), path.size()));
        round.add(next);
        return round;
    }

    private static String text(final WindowState w) {
        return w.name() + ": epoch=" + w.epoch() + (w.holders().isEmpty() ? "" : ", its memory is locked by " + names(new TreeSet<>(w.holders()))
            + (w.isExclusive() ? " alone" : "")) + (w.waiting().isEmpty() ? "" : ", waiting: " + names(new LinkedHashSet<>(w.waiting())));
    }

    private void windows(final int rank, final List<String> lines) {
        final RankState s = states.get(rank);
        if (s != null && !s.windows().isEmpty()) {
            lines.add("rank " + rank + " has windows: " + s.windows().stream().limit(MOST_MESSAGES).map(StallAnalysis::text)
                .collect(Collectors.joining("; ")) + (s.windows().size() > MOST_MESSAGES ? "; and more" : ""));
        }
    }

    private static String text(final FileState f) {
        return f.path() + ": mode=" + f.mode()
            + (f.pointer() == FileState.NO_POINTER ? "" : ", pointer=" + f.pointer() + ", etype bytes=" + f.etypeBytes())
            + (f.isAtomic() ? ", atomic" : "") + (f.pending().isEmpty() ? "" : ", pending: " + String.join(" ", f.pending()));
    }

    private void files(final int rank, final List<String> lines) {
        final RankState s = states.get(rank);
        if (s != null && !s.files().isEmpty()) {
            lines.add("rank " + rank + " has files: " + s.files().stream().limit(MOST_MESSAGES).map(StallAnalysis::text)
                .collect(Collectors.joining("; ")) + (s.files().size() > MOST_MESSAGES ? "; and more" : ""));
        }
    }

    private static String text(final UnreceivedMessage m) {
        return m.bytes() + " bytes of " + (m.source() < 0 ? "another job" : "rank " + m.source()) + ", tag " + m.tag() + ", " + m.communicator();
    }

    private void messages(final int rank, final List<String> lines) {
        final RankState s = states.get(rank);
        if (s == null || s.unreceived().isEmpty()) {
            return;
        }
        final List<UnreceivedMessage> all = s.unreceived();
        lines.add("rank " + rank + " has not received: " + all.stream().limit(MOST_MESSAGES).map(StallAnalysis::text)
            .collect(Collectors.joining("; "))
            + (all.size() > MOST_MESSAGES ? "; and more" : ""));
    }
}
