package tutti.coll.tck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.plan.SplitNames;
import tutti.coll.tck.limit.CpuLimit;

/**
 * Queries modules and sets them up on a communicator and on all communicators that they create from it. Every rank has a thread of its own, because
 * set-up may exchange messages and split.
 */
final class ModuleSetup {
    private static final int MAX_DEPTH = 8;

    /**
     * The result of a set-up.
     *
     * @param tables    the algorithm table of each rank; empty if the module declined
     * @param declined  why it declined; empty if it did not
     * @param instances the instances that were initialized, which the caller must close
     */
    record Result(List<AlgorithmTable> tables, Optional<String> declined, InitializedInstances instances) {}

    private record SplitRequest(String name, int color, int key, int rank, boolean isOthers) {}

    private final List<CollModule> modules;
    private final Map<String, String> parameters;
    private final RankExchange exchange;
    private final InitializedInstances instances = new InitializedInstances();
    private final Map<Integer, AlgorithmTable> offered = new TreeMap<>();
    private Optional<String> declined = Optional.empty();

    private ModuleSetup(final int ranks, final List<CollModule> modules, final Map<String, String> parameters) {
        this.modules = modules;
        this.parameters = parameters;
        this.exchange = new RankExchange(ranks);
    }

    /**
     * Sets modules up on a communicator. Disposes what was initialized if it fails.
     *
     * @param groups     the ranks
     * @param modules    the module to set up, then the fallbacks for inner communicators
     * @param parameters of the job, dotted name to value
     * @param millis     processor time of all ranks together, in milliseconds
     * @throws IllegalStateException if a rank fails or does not complete in time
     */
    static Result run(final CommGroups groups, final List<CollModule> modules, final Map<String, String> parameters, final long millis) {
        final ModuleSetup setUp = new ModuleSetup(groups.size(), modules, parameters);
        final CountDownLatch left = new CountDownLatch(groups.size());
        final CpuLimit cpu = new CpuLimit("tutti-set-up", Duration.ofMillis(millis));
        for (int index = 0; index < groups.size(); index++) {
            final int here = index;
            cpu.start("tutti-set-up-" + index, () -> {
                try {
                    setUp.outermost(groups, here);
                } finally {
                    setUp.exchange.leave();
                    left.countDown();
                }
            });
        }
        try {
            final CpuLimit.Verdict verdict = cpu.await(t -> left.await(t.toMillis(), TimeUnit.MILLISECONDS));
            if (verdict != CpuLimit.Verdict.ENDED) {
                setUp.exchange.fail("set-up takes too long: ranks=" + groups.size() + ": " + cpu.text(verdict), null);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            setUp.exchange.fail("interrupted", e);
        }
        final RankExchange.Failure failure = setUp.exchange.failure();
        if (failure != null) {
            cpu.interrupt();
            final IllegalStateException failed = new IllegalStateException(failure.getMessage(), failure.getCause());
            try {
                setUp.instances.close();
            } catch (final IllegalStateException e) {
                failed.addSuppressed(e);
            }
            throw failed;
        }
        return new Result(setUp.declined.isPresent() ? List.of() : List.copyOf(setUp.offered.values()), setUp.declined, setUp.instances);
    }

    private void outermost(final CommGroups groups, final int index) {
        final VirtualComm comm = groups.comm(index);
        final int rank = groups.rank(index);
        try {
            if (comm.isInter()) {
                setUpInner(comm.local(), rank, 1, false);
            }
            query(comm, rank, 0, 0);
        } catch (final Exception | LinkageError | VirtualMachineError | AssertionError e) {
            exchange.fail("set-up failed: rank=" + index + ": " + e, e);
        }
    }

    /**
     * Sets up the modules on an inner communicator and registers their tables with it.
     *
     * @param isOthers whether the fallbacks serve before the module
     */
    private void setUpInner(final VirtualComm comm, final int rank, final int depth, final boolean isOthers) throws Exception {
        if (depth > MAX_DEPTH) {
            throw new IllegalStateException("sub-communicators nested too deeply: depth=" + depth);
        }
        final List<AlgorithmTable> tables = new ArrayList<>();
        for (int m = 0; m < modules.size(); m++) {
            final int at = isOthers && m == 0 ? 0 : tables.size();
            query(comm, rank, m, depth).ifPresent(t -> tables.add(at, t));
        }
        exchange(comm, rank, "tables", tables, all -> {
            comm.serveBy(List.copyOf(all.values()));
            return all;
        });
    }

    private <V, T> T exchange(final VirtualComm comm, final int rank, final String topic, final V value,
        final Function<SortedMap<Integer, V>, T> end) {
        return exchange.exchange(comm.channel() + "/" + topic,
            comm.isInter() ? comm.size() + comm.remoteSize() : comm.size(), comm.index(rank), value, end);
    }

    /** Queries a module and sets it up. Returns its table; empty if it declines on some rank. */
    private Optional<AlgorithmTable> query(final VirtualComm comm, final int rank, final int module, final int depth) throws Exception {
        final SetupPeers peers = new SetupPeers(comm, rank, module, depth);
        final QueryResult result = modules.get(module).query(new RankComm(comm, rank, parameters, peers));
        final String answer = switch (result) {
            case QueryResult.Declined d -> String.valueOf(d.reason());
            case QueryResult.Usable u -> "";
        };
        final String why = exchange(comm, rank, "asked " + module, answer,
            all -> all.values().stream().filter(r -> !r.isEmpty()).findFirst().orElse(""));
        if (!why.isEmpty() || !(result instanceof QueryResult.Usable usable)) {
            if (depth == 0) {
                declined = Optional.of(why);
            }
            peers.open = false;
            return Optional.empty();
        }
        if (usable.instance().table() == null) {
            throw new IllegalStateException("table() or init() returned null");
        }
        final AlgorithmTable table = instances.init(usable.instance());
        peers.open = false;
        exchange(comm, rank, "set up " + module, table, all -> {
            if (exchange.hasUnreceived(comm.channel(), module)) {
                exchange.fail("set-up left messages that were not received", null);
            }
            if (depth == 0) {
                offered.putAll(all);
            }
            return all;
        });
        return Optional.of(table);
    }

    /** The messages and splits of one module on one rank, permitted until its set-up is complete. */
    private final class SetupPeers implements RankComm.Peers {
        private final VirtualComm comm;
        private final int rank;
        private final int module;
        private final int depth;
        private final SplitNames splits;
        private boolean open = true;

        SetupPeers(final VirtualComm comm, final int rank, final int module, final int depth) {
            this.comm = comm;
            this.rank = rank;
            this.module = module;
            this.depth = depth;
            this.splits = new SplitNames(module == 0 ? "module" : "fallback");
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
        public void allreduce(final long[] values, final LongBinaryOperator operator) {
            checkOpen();
            final long[] result = exchange(comm, rank, "allreduce " + module, values.clone(), all -> combined(all.values(), operator));
            System.arraycopy(result, 0, values, 0, values.length);
        }

        private static long[] combined(final Collection<long[]> all, final LongBinaryOperator operator) {
            if (all.stream().mapToInt(v -> v.length).distinct().count() > 1) {
                throw new IllegalStateException("ranks combine different numbers of values");
            }
            final long[] result = new long[all.iterator().next().length];
            Arrays.setAll(result, i -> all.stream().mapToLong(v -> v[i]).reduce(operator).orElseThrow());
            return result;
        }

        @Override
        public <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String name) {
            checkOpen();
            if (module > 0
                || !(modules.getLast().query(new RankComm(comm, rank, parameters, new RankComm.Peers() {})) instanceof final QueryResult.Usable u)) {
                throw new IllegalStateException("there is no other module: name=" + name);
            }
            final AlgorithmTable table = u.instance().table();
            final List<AlgorithmTable.Entry<C>> entries = comm.isInter() ? table.everyInter(operation) : table.everyIntra(operation);
            final String wanted = name.substring(name.indexOf('/') + 1);
            return (call, plan) -> entries.stream().filter(e -> e.order().serves(call.reduction()))
                .min(Comparator.comparing(e -> !e.name().equals(wanted)))
                .orElseThrow(() -> new IllegalStateException("no other module serves: operation=" + operation)).algorithm().plan(call, plan);
        }

        @Override
        public @Nullable CollSubComm split(final String name, final int color, final int key, final boolean isOthers) {
            checkOpen();
            final Map<Integer, VirtualComm> created =
                exchange(comm, rank, "split " + module, new SplitRequest(splits.use(name), color, key, rank, isOthers), this::parts);
            final VirtualComm part = created.get(color);
            if (color < 0 || part == null) {
                return null;
            }
            final int own = part.rankOf(comm.index(rank));
            try {
                setUpInner(part, own, depth + 1, isOthers);
            } catch (final RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw new IllegalStateException("set-up of a sub-communicator failed: " + e, e);
            }
            return new VirtualComm.Group(part, own);
        }

        /** Creates the communicators of a split, by color. */
        private Map<Integer, VirtualComm> parts(final SortedMap<Integer, SplitRequest> requests) {
            if (requests.values().stream().map(SplitRequest::isOthers).distinct().count() > 1) {
                throw new IllegalStateException("ranks name different modules for a split");
            }
            final List<String> names = requests.values().stream().map(SplitRequest::name).distinct().toList();
            if (names.size() > 1) {
                throw new IllegalStateException("ranks give a split different names: names=" + names);
            }
            final boolean isOnly = requests.values().stream().map(SplitRequest::color).filter(c -> c >= 0).distinct().count() <= 1;
            final Map<Integer, List<SplitRequest>> members = requests.values().stream()
                .sorted(Comparator.comparingInt(SplitRequest::key).thenComparingInt(SplitRequest::rank))
                .collect(Collectors.groupingBy(SplitRequest::color));
            final Map<Integer, VirtualComm> created = new HashMap<>();
            members.forEach((color, all) -> created.put(color,
                comm.sub(SplitNames.of(names.getFirst(), color, isOnly), all.stream().mapToInt(r -> comm.index(r.rank)).toArray())));
            return created;
        }
    }
}
