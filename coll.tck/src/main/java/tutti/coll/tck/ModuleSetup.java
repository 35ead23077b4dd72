package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollModule;
import tutti.coll.CollSubComm;
import tutti.coll.QueryResult;

/**
 * Asks modules what they offer on a communicator and on all that they make of it, and sets them up there: every rank on a thread of its own,
 * since they may talk and split.
 */
final class ModuleSetup {
    private static final int DEEPEST = 8;

    /**
     * What came of it.
     *
     * @param tables what the module offers to each rank; empty when it declined
     * @param reason why it declined, else null
     */
    record Result(List<AlgorithmTable> tables, String reason) { }

    private record Wish(int color, int key) { }

    private final List<CollModule> modules;
    private final Map<String, String> parameters;
    private final RankExchange meeting;
    private final Map<Integer, AlgorithmTable> offered = new TreeMap<>();
    private String reason;

    private ModuleSetup(final int ranks, final List<CollModule> modules, final Map<String, String> parameters) {
        this.modules = modules;
        this.parameters = parameters;
        this.meeting = new RankExchange(ranks);
    }

    /**
     * Sets modules up on a communicator.
     *
     * @param modules the one that matters, and those that serve where it does not
     * @param millis  how long that may take
     * @throws IllegalStateException when a rank fails or does not come to an end
     */
    static Result run(final CommGroups groups, final List<CollModule> modules, final Map<String, String> parameters, final long millis) {
        final ModuleSetup setUp = new ModuleSetup(groups.size(), modules, parameters);
        final CountDownLatch left = new CountDownLatch(groups.size());
        final List<Thread> threads = new ArrayList<>();
        for (int place = 0; place < groups.size(); place++) {
            final int here = place;
            // a task that lets go of what it ran: somebody may remember the thread, which must not hold the modules
            threads.add(Thread.ofPlatform().daemon().name("tutti-set-up-" + place).start(new FutureTask<>(() -> {
                try {
                    setUp.outermost(groups, here);
                } finally {
                    setUp.meeting.leave();
                    left.countDown();
                }
            }, null)));
        }
        try {
            if (!left.await(millis, TimeUnit.MILLISECONDS)) {
                setUp.meeting.fail("set-up takes too long: ranks=" + groups.size() + ", limit=" + millis + " ms", null);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            setUp.meeting.fail("interrupted", e);
        }
        if (setUp.meeting.failure() != null) {
            threads.forEach(Thread::interrupt);
            throw new IllegalStateException(setUp.meeting.failure().getMessage(), setUp.meeting.failure().getCause());
        }
        return new Result(setUp.reason != null ? List.of() : List.copyOf(setUp.offered.values()), setUp.reason);
    }

    private void outermost(final CommGroups groups, final int place) {
        final VirtualComm comm = groups.side(place);
        final int rank = groups.rank(place);
        try {
            if (comm.isInter()) {
                serve(comm.local(), rank, 1);
            }
            ask(comm, rank, 0, 0);
        } catch (final Exception | LinkageError | StackOverflowError e) {
            meeting.fail("set-up fails: rank=" + place + ": " + e, e);
        }
    }

    /** Finds out what serves an inner communicator, and has it known. */
    private void serve(final VirtualComm comm, final int rank, final int depth) throws Exception {
        if (depth > DEEPEST) {
            throw new IllegalStateException("sub-communicators of sub-communicators, without an end: depth=" + depth);
        }
        final List<AlgorithmTable> tables = new ArrayList<>();
        for (int m = 0; m < modules.size(); m++) {
            tables.add(ask(comm, rank, m, depth));
        }
        tables.removeIf(Objects::isNull);
        this.<List<AlgorithmTable>, Object>meet(comm, rank, "tables", tables, all -> {
            comm.serveBy(List.copyOf(all.values()));
            return null;
        });
    }

    private <V, T> T meet(final VirtualComm comm, final int rank, final String topic, final V value,
                            final Function<SortedMap<Integer, V>, T> end) {
        return meeting.meet(comm.channel() + "/" + topic,
            comm.isInter() ? comm.size() + comm.remoteSize() : comm.size(), comm.place(rank), value, end);
    }

    /** What a module offers on a communicator; null when it declines on some rank. */
    private AlgorithmTable ask(final VirtualComm comm, final int rank, final int module, final int depth) throws Exception {
        final Talk talk = new Talk(comm, rank, module, depth);
        final QueryResult verdict = modules.get(module).query(new RankComm(comm, rank, parameters, talk));
        final String declined = switch (verdict) {
            case QueryResult.Declined d -> String.valueOf(d.reason());
            case QueryResult.Usable u -> "";
        };
        final String why = meet(comm, rank, "asked " + module, declined,
            all -> all.values().stream().filter(r -> !r.isEmpty()).findFirst().orElse(""));
        if (!why.isEmpty() || !(verdict instanceof QueryResult.Usable usable)) {
            if (depth == 0) {
                reason = why;
            }
            talk.open = false;
            return null;
        }
        final AlgorithmTable before = usable.instance().table();
        final AlgorithmTable table = usable.instance().init();
        talk.open = false;
        if (before == null || table == null) {
            throw new IllegalStateException("no table");
        }
        meet(comm, rank, "set up " + module, table, all -> {
            if (meeting.isAnythingLeft(comm.channel(), module)) {
                meeting.fail("set-up leaves messages that nobody received", null);
            }
            if (depth == 0) {
                offered.putAll(all);
            }
            return null;
        });
        return table;
    }

    /** One module on one rank, talking while it may. */
    private final class Talk implements RankComm.Others {
        private final VirtualComm comm;
        private final int rank;
        private final int module;
        private final int depth;
        private boolean open = true;

        Talk(final VirtualComm comm, final int rank, final int module, final int depth) {
            this.comm = comm;
            this.rank = rank;
            this.module = module;
            this.depth = depth;
        }

        private void checkOpen() {
            if (!open) {
                throw new IllegalStateException("the set-up is over");
            }
        }

        @Override
        public void send(final int peer, final byte[] data) {
            checkOpen();
            meeting.send(new RankExchange.MessageQueue(comm.channel(), module, comm.place(rank), peer), data);
        }

        @Override
        public void recv(final int peer, final byte[] into) {
            checkOpen();
            meeting.recv(new RankExchange.MessageQueue(comm.channel(), module, peer, comm.place(rank)), into);
        }

        @Override
        public CollSubComm split(final int color, final int key) {
            checkOpen();
            final Map<Integer, VirtualComm> made = meet(comm, rank, "split " + module, new Wish(color, key), this::parts);
            final VirtualComm part = made.get(color);
            if (color < 0 || part == null) {
                return null;
            }
            final int own = part.rankOf(comm.place(rank));
            try {
                serve(part, own, depth + 1);
            } catch (final RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw new IllegalStateException("set-up of a sub-communicator fails: " + e, e);
            }
            return new VirtualComm.Group(part, own);
        }

        /** The communicators of a split, by colour. */
        private Map<Integer, VirtualComm> parts(final SortedMap<Integer, Wish> wishes) {
            final int split = comm.nextSplit();
            final Map<Integer, List<Integer>> members = new HashMap<>();
            for (int r = 0; r < comm.size(); r++) {
                members.computeIfAbsent(wishes.get(comm.place(r)).color, c -> new ArrayList<>()).add(comm.place(r));
            }
            final Map<Integer, VirtualComm> made = new HashMap<>();
            members.forEach((color, places) -> {
                places.sort(Comparator.comparing((Integer p) -> wishes.get(p).key));
                made.put(color, new VirtualComm(comm.channel() + "." + split + "." + color, places.stream().mapToInt(Integer::intValue).toArray(),
                    null, comm.nodes(), comm));
            });
            return made;
        }
    }
}
