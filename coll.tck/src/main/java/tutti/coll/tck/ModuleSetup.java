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
 * Queries modules and sets them up on a communicator and on all communicators that they create from it. Every rank has a thread of its own, because
 * set-up may exchange messages and split.
 */
final class ModuleSetup {
    private static final int MAX_DEPTH = 8;

    /**
     * The result of a set-up.
     *
     * @param tables the algorithm table of each rank; empty if the module declined
     * @param reason why it declined; otherwise null
     */
    record Result(List<AlgorithmTable> tables, String reason) {}

    private record SplitRequest(int color, int key) {}

    private final List<CollModule> modules;
    private final Map<String, String> parameters;
    private final RankExchange exchange;
    private final Map<Integer, AlgorithmTable> offered = new TreeMap<>();
    private String reason;

    private ModuleSetup(final int ranks, final List<CollModule> modules, final Map<String, String> parameters) {
        this.modules = modules;
        this.parameters = parameters;
        this.exchange = new RankExchange(ranks);
    }

    /**
     * Sets modules up on a communicator.
     *
     * @param groups     the ranks
     * @param modules    the module to set up, then the fallbacks for inner communicators
     * @param parameters of the job, dotted name to value
     * @param millis     time limit in milliseconds
     * @throws IllegalStateException if a rank fails or does not complete in time
     */
    static Result run(final CommGroups groups, final List<CollModule> modules, final Map<String, String> parameters, final long millis) {
        final ModuleSetup setUp = new ModuleSetup(groups.size(), modules, parameters);
        final CountDownLatch left = new CountDownLatch(groups.size());
        final List<Thread> threads = new ArrayList<>();
        for (int index = 0; index < groups.size(); index++) {
            final int here = index;
            // a FutureTask drops its Runnable when it ends: references to the thread may remain, which must not retain the modules
            threads.add(Thread.ofPlatform().daemon().name("tutti-set-up-" + index).start(new FutureTask<>(() -> {
                try {
                    setUp.outermost(groups, here);
                } finally {
                    setUp.exchange.leave();
                    left.countDown();
                }
            }, null)));
        }
        try {
            if (!left.await(millis, TimeUnit.MILLISECONDS)) {
                setUp.exchange.fail("set-up takes too long: ranks=" + groups.size() + ", limit=" + millis + " ms", null);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            setUp.exchange.fail("interrupted", e);
        }
        if (setUp.exchange.failure() != null) {
            threads.forEach(Thread::interrupt);
            throw new IllegalStateException(setUp.exchange.failure().getMessage(), setUp.exchange.failure().getCause());
        }
        return new Result(setUp.reason != null ? List.of() : List.copyOf(setUp.offered.values()), setUp.reason);
    }

    private void outermost(final CommGroups groups, final int index) {
        final VirtualComm comm = groups.comm(index);
        final int rank = groups.rank(index);
        try {
            if (comm.isInter()) {
                setUpInner(comm.local(), rank, 1);
            }
            query(comm, rank, 0, 0);
        } catch (final Exception | LinkageError | StackOverflowError e) {
            exchange.fail("set-up failed: rank=" + index + ": " + e, e);
        }
    }

    /** Sets up the modules on an inner communicator and registers their tables with it. */
    private void setUpInner(final VirtualComm comm, final int rank, final int depth) throws Exception {
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("sub-communicators nested too deeply: depth=" + depth);
        }
        final List<AlgorithmTable> tables = new ArrayList<>();
        for (int m = 0; m < modules.size(); m++) {
            tables.add(query(comm, rank, m, depth));
        }
        tables.removeIf(Objects::isNull);
        this.<List<AlgorithmTable>, Object>exchange(comm, rank, "tables", tables, all -> {
            comm.serveBy(List.copyOf(all.values()));
            return null;
        });
    }

    private <V, T> T exchange(final VirtualComm comm, final int rank, final String topic, final V value,
        final Function<SortedMap<Integer, V>, T> end) {
        return exchange.exchange(comm.channel() + "/" + topic,
            comm.isInter() ? comm.size() + comm.remoteSize() : comm.size(), comm.index(rank), value, end);
    }

    /** Queries a module and sets it up. Returns its table; null if it declines on some rank. */
    private AlgorithmTable query(final VirtualComm comm, final int rank, final int module, final int depth) throws Exception {
        final SetupPeers peers = new SetupPeers(comm, rank, module, depth);
        final QueryResult result = modules.get(module).query(new RankComm(comm, rank, parameters, peers));
        final String declined = switch (result) {
            case QueryResult.Declined d -> String.valueOf(d.reason());
            case QueryResult.Usable u -> "";
        };
        final String why = exchange(comm, rank, "asked " + module, declined,
            all -> all.values().stream().filter(r -> !r.isEmpty()).findFirst().orElse(""));
        if (!why.isEmpty() || !(result instanceof QueryResult.Usable usable)) {
            if (depth == 0) {
                reason = why;
            }
            peers.open = false;
            return null;
        }
        final AlgorithmTable before = usable.instance().table();
        final AlgorithmTable table = usable.instance().init();
        peers.open = false;
        if (before == null || table == null) {
            throw new IllegalStateException("table() or init() returned null");
        }
        exchange(comm, rank, "set up " + module, table, all -> {
            if (exchange.hasUnreceived(comm.channel(), module)) {
                exchange.fail("set-up left messages that were not received", null);
            }
            if (depth == 0) {
                offered.putAll(all);
            }
            return null;
        });
        return table;
    }

    /** The messages and splits of one module on one rank, permitted until its set-up is complete. */
    private final class SetupPeers implements RankComm.Peers {
        private final VirtualComm comm;
        private final int rank;
        private final int module;
        private final int depth;
        private boolean open = true;

        SetupPeers(final VirtualComm comm, final int rank, final int module, final int depth) {
            this.comm = comm;
            this.rank = rank;
            this.module = module;
            this.depth = depth;
        }

        private void checkOpen() {
            if (!open) {
                throw new IllegalStateException("not permitted after set-up");
            }
        }

        @Override
        public void send(final int peer, final byte[] data) {
            checkOpen();
            exchange.send(new RankExchange.MessageQueue(comm.channel(), module, comm.index(rank), peer), data);
        }

        @Override
        public void recv(final int peer, final byte[] into) {
            checkOpen();
            exchange.recv(new RankExchange.MessageQueue(comm.channel(), module, peer, comm.index(rank)), into);
        }

        @Override
        public CollSubComm split(final int color, final int key) {
            checkOpen();
            final Map<Integer, VirtualComm> created = exchange(comm, rank, "split " + module, new SplitRequest(color, key), this::parts);
            final VirtualComm part = created.get(color);
            if (color < 0 || part == null) {
                return null;
            }
            final int own = part.rankOf(comm.index(rank));
            try {
                setUpInner(part, own, depth + 1);
            } catch (final RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw new IllegalStateException("set-up of a sub-communicator failed: " + e, e);
            }
            return new VirtualComm.Group(part, own);
        }

        /** Creates the communicators of a split, by color. */
        private Map<Integer, VirtualComm> parts(final SortedMap<Integer, SplitRequest> requests) {
            final int split = comm.nextSplit();
            final Map<Integer, List<Integer>> members = new HashMap<>();
            for (int r = 0; r < comm.size(); r++) {
                members.computeIfAbsent(requests.get(comm.index(r)).color, c -> new ArrayList<>()).add(comm.index(r));
            }
            final Map<Integer, VirtualComm> created = new HashMap<>();
            members.forEach((color, indices) -> {
                indices.sort(Comparator.comparingInt((Integer p) -> requests.get(p).key));
                created.put(color, new VirtualComm(comm.channel() + "." + split + "." + color, indices.stream().mapToInt(Integer::intValue).toArray(),
                    null, comm.nodes(), comm));
            });
            return created;
        }
    }
}
