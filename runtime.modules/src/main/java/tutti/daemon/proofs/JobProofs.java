package tutti.daemon.proofs;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.VirtualModule;
import tutti.coll.tck.limit.CpuLimit;
import tutti.daemon.modules.Quarantine;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.PlanProver;

/**
 * Proofs for the part of a job on this node. Holds the job's modules, set up on virtual ranks, until it is closed. Safe for any thread.
 *
 * <p>A proof covers what the module plans; nested collectives on hidden communicators are those of the fallback module in it, and are proved as calls
 * of their own where the ranks know them.
 */
public final class JobProofs implements PlanProver {
    private static final Logger LOG = LoggerFactory.getLogger(JobProofs.class);
    private final NodeProofs node;
    private final Quarantine quarantine;
    private final Predicate<ModuleId> added;
    private final Consumer<String> onWrong;
    private final ConcurrentMap<ModuleId, Boolean> isAdded = new ConcurrentHashMap<>();
    private final ConcurrentMap<SetUp, VirtualModule> modules = new ConcurrentHashMap<>();
    private final Set<NodeProofs.Proof> beside = ConcurrentHashMap.newKeySet();
    /** Number of proofs that use the modules; guarded by this object. */
    private int running;
    /** Set when the last proof disposes the modules; guarded by this object. */
    private boolean closed;

    /** What a module is set up for. */
    private record SetUp(ModuleId module, Map<String, String> parameters, List<Integer> nodes) {}

    /**
     * Creates the proofs of a part.
     *
     * @param added   tells whether a module was installed on the node
     * @param onWrong ends the part, for a wrong plan that was found beside its first run
     */
    public JobProofs(final NodeProofs node, final Quarantine quarantine, final Predicate<ModuleId> added, final Consumer<String> onWrong) {
        this.node = node;
        this.quarantine = quarantine;
        this.added = added;
        this.onWrong = onWrong;
    }

    @Override
    public <C extends Call> @Nullable String prove(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        final String wrong = node.prove(call, () -> check(call, module, fallback));
        if (wrong != null) {
            quarantine.add(call.module(), wrong);
        }
        return wrong;
    }

    private <C extends Call> String check(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        begin();
        try {
            final VirtualModule virtual = modules.computeIfAbsent(new SetUp(call.module(), call.parameters(), call.nodes()),
                s -> VirtualModule.of(module, fallback, new NodeLayout(s.nodes()), s.parameters()));
            return PlanChecker.checkPlanned(call.operation(), virtual, call.algorithm(), call.calls(), MAX_TASKS)
                .map(c -> c + ", nodes=" + call.nodes()).orElse("");
        } finally {
            if (end()) {
                dispose();
            }
        }
    }

    private synchronized void begin() {
        if (closed) {
            throw new IllegalStateException("the job has ended");
        }
        running++;
    }

    /** Ends the use of the modules by a proof; returns whether nobody uses them any more. */
    private synchronized boolean end() {
        running--;
        return closed && running == 0;
    }

    /** Refuses further proofs; returns whether nobody uses the modules any more. */
    private synchronized boolean endLast() {
        closed = true;
        return running == 0;
    }

    private void dispose() {
        modules.forEach((setUp, virtual) -> {
            try {
                virtual.close();
            } catch (final IllegalStateException e) {
                LOG.warn("dispose of module {} failed after a proof: {}", setUp.module(), e.getMessage());
            }
        });
        modules.clear();
    }

    @Override
    public <C extends Call> void proveBeside(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        final NodeProofs.Proof proof = node.start(call, () -> check(call, module, fallback));
        beside.removeIf(p -> p.result().isDone());
        beside.add(new NodeProofs.Proof(proof.result().thenApply(wrong -> {
            if (!wrong.isEmpty()) {
                quarantine.add(call.module(), wrong);
                onWrong.accept("a plan of module " + call.module() + " is wrong: " + wrong);
            }
            return wrong;
        }), proof.cpu()));
    }

    @Override
    public CompletionStage<Void> close() {
        synchronized (this) {
            if (running == 0 && modules.isEmpty() && beside.isEmpty()) {
                closed = true;
                return CompletableFuture.completedStage(null);
            }
        }
        final CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofVirtual().inheritInheritableThreadLocals(false).name("tutti-proof-end").start(() -> {
            try {
                beside.forEach(NodeProofs.Proof::await);
                final CpuLimit cpu = node.cpu();
                cpu.await(cpu.start("tutti-proof", this::closeAfterProofs)::join);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                end.complete(null);
            }
        });
        return end;
    }

    /** Disposes the modules, unless a proof goes on, for which nobody waits any more: it disposes them when it ends. */
    private void closeAfterProofs() {
        if (endLast()) {
            dispose();
        }
    }

    @Override
    public boolean isAdded(final ModuleId module) {
        return isAdded.computeIfAbsent(module, added::test);
    }

    @Override
    public void skip(final String reason) {
        node.skip(reason);
    }

    @Override
    public void quarantine(final ModuleId module, final String reason) {
        quarantine.add(module, reason);
    }

    @Override
    public @Nullable String quarantined(final ModuleId module) {
        return quarantine.reason(module);
    }
}
