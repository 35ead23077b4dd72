package tutti.coll.tck;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tutti.coll.BufferRange;
import tutti.coll.Operation;

/**
 * What tasks of different ranks have to do with each other: which receive takes which send (the k-th that a rank plans to another on a
 * communicator is taken by the k-th that the other plans from it there), which post an await is for, and what is read in a peer's memory.
 */
final class TaskMatching {

    /** A task of a rank's plan. */
    record Place(int rank, int task) { }

    private record Pair(String channel, int from, int to) { }

    private final List<RecordedTasks> tapes;
    private final Place[][] partners;
    private final BufferRange[][] sources;
    private final List<CheckFailure> flaws = new ArrayList<>();

    /** Of the tapes of all ranks, by place. */
    TaskMatching(final List<RecordedTasks> tapes) {
        this.tapes = tapes;
        this.partners = tapes.stream().map(t -> new Place[t.tasks().size()]).toArray(Place[][]::new);
        this.sources = tapes.stream().map(t -> new BufferRange[t.tasks().size()]).toArray(BufferRange[][]::new);
        tapes.forEach(this::compareParts);
        if (flaws.isEmpty()) {
            matchMessages();
            matchPosts();
            tapes.forEach(this::findSources);
        }
    }

    /** All members of a group must plan the same collectives there. */
    private void compareParts(final RecordedTasks tape) {
        tape.parts().forEach((channel, parts) -> {
            for (final int place : parts.getFirst().comm().places()) {
                final List<? extends Operation<?>> here = operations(parts);
                final List<? extends Operation<?>> there = operations(tapes.get(place).parts(channel));
                if (place != tape.place() && !here.equals(there)) {
                    flaws.add(new CheckFailure(tape.place(), -1, place, "collectives within a group differ: here=" + here + ", there=" + there));
                    return;
                }
            }
        });
    }

    private static List<Operation<?>> operations(final List<RecordingPlan> parts) {
        final List<Operation<?>> operations = new ArrayList<>();
        parts.forEach(p -> operations.add(p.operation()));
        return operations;
    }

    private void matchMessages() {
        final Map<Pair, List<Place>> sends = new LinkedHashMap<>();
        final Map<Pair, List<Place>> recvs = new LinkedHashMap<>();
        for (final RecordedTasks tape : tapes) {
            for (final RecordedTask t : tape.tasks()) {
                if (t.kind() == RecordedTask.Kind.SEND || t.kind() == RecordedTask.Kind.RECV) {
                    final boolean sent = t.kind() == RecordedTask.Kind.SEND;
                    final String channel = tape.owner(t.id()).comm().channel();
                    final Pair pair = sent ? new Pair(channel, tape.place(), t.peer()) : new Pair(channel, t.peer(), tape.place());
                    (sent ? sends : recvs).computeIfAbsent(pair, p -> new ArrayList<>()).add(new Place(tape.place(), t.id()));
                }
            }
        }
        sends.forEach((pair, list) -> match(list, recvs.getOrDefault(pair, List.of())));
        recvs.forEach((pair, list) -> match(list, sends.getOrDefault(pair, List.of())));
    }

    private void match(final List<Place> mine, final List<Place> others) {
        for (int k = 0; k < mine.size(); k++) {
            final Place place = mine.get(k);
            final RecordedTask task = task(place);
            if (k >= others.size()) {
                flaws.add(CheckFailure.of(place.rank, task, "no match for message " + k));
                return;
            }
            final Place partner = others.get(k);
            final long here = bytes(task);
            final long there = bytes(task(partner));
            if (here != there) {
                flaws.add(CheckFailure.of(place.rank, task, "lengths differ: here=" + here + ", there=" + there + ", peer's task=" + partner.task));
                return;
            }
            partners[place.rank][place.task] = partner;
        }
    }

    private void matchPosts() {
        final Map<RecordingPlan, List<Place>> posts = new HashMap<>();
        each(RecordedTask.Kind.POST, (tape, t) -> posts.computeIfAbsent(tape.owner(t.id()), p -> new ArrayList<>())
            .add(new Place(tape.place(), t.id())));
        each(RecordedTask.Kind.AWAIT, (tape, t) -> {
            final RecordingPlan there = partOf(tape, t);
            final List<Place> made = posts.getOrDefault(there, List.of());
            if (t.post() < made.size()) {
                partners[tape.place()][t.id()] = made.get(t.post());
            } else {
                flaws.add(CheckFailure.of(tape.place(), t, "awaits a post that the peer never makes: post=" + t.post() + ", posts=" + made.size()));
            }
        });
    }

    private interface Visitor {
        void visit(RecordedTasks tape, RecordedTask task);
    }

    private void each(final RecordedTask.Kind kind, final Visitor visitor) {
        for (final RecordedTasks tape : tapes) {
            for (final RecordedTask t : tape.tasks()) {
                if (t.kind() == kind) {
                    visitor.visit(tape, t);
                }
            }
        }
    }

    private void findSources(final RecordedTasks tape) {
        for (final RecordedTask t : tape.tasks()) {
            if (t.readsPeer()) {
                try {
                    sources[tape.place()][t.id()] = partOf(tape, t).placed(t.from());
                } catch (final IllegalArgumentException e) {
                    flaws.add(CheckFailure.of(tape.place(), t, "the peer has no such memory: " + e.getMessage()));
                }
            }
        }
    }

    /** The peer's part of the collective that a task belongs to. */
    private RecordingPlan partOf(final RecordedTasks tape, final RecordedTask task) {
        final RecordingPlan here = tape.owner(task.id());
        return tapes.get(task.peer()).parts(here.comm().channel()).get(here.ordinal());
    }

    private RecordedTask task(final Place place) {
        return tapes.get(place.rank).tasks().get(place.task);
    }

    private static long bytes(final RecordedTask task) {
        return task.from() != null ? task.from().bytes() : task.into().bytes();
    }

    List<CheckFailure> flaws() {
        return flaws;
    }

    /** The other side of a send or receive, and the post that an await is for; null when there is none. */
    Place partner(final int rank, final int task) {
        return partners[rank][task];
    }

    /** What a task reads in its peer's memory, as the peer's outermost plan names it; null when nothing. */
    BufferRange source(final int rank, final int task) {
        return sources[rank][task];
    }
}
