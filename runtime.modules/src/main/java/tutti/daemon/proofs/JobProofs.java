package tutti.daemon.proofs;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Phaser;
import org.jspecify.annotations.Nullable;
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
 * Proofs for the part of a job on this node. Holds the job's modules, set up on virtual ranks, until they are released. Safe for any thread.
 *
 * <p>A proof covers what the module plans; nested collectives on hidden communicators are those of the fallback module in it, and are proved as calls
 * of their own where the ranks know them.
 */
public final class JobProofs implements PlanProver {
    private final NodeProofs node;
    private final Quarantine quarantine;
    private final AddedModules added;
    private final ProvedPart part;
    private final ConcurrentMap<ModuleId, Boolean> isAdded = new ConcurrentHashMap<>();
    private final ProvedModules modules = new ProvedModules();
    /** Proofs beside their calls, and disposals of released modules. */
    private final Set<NodeProofs.Proof> beside = ConcurrentHashMap.newKeySet();
    /** The job, and the proofs that use the modules; the last one to leave disposes them. */
    private final Phaser users = new Phaser(1) {
        @Override
        protected boolean onAdvance(final int phase, final int registered) {
            dispose();
            return true;
        }
    };

    /** Modules that were installed on the node. */
    @FunctionalInterface
    public interface AddedModules {
        /** Returns whether a module is one of them. */
        boolean contains(ModuleId module);
    }

    /** Part of the job. */
    @FunctionalInterface
    public interface ProvedPart {
        /** Ends the part, for a wrong plan that was found beside its first run. */
        void wrong(String reason);
    }

    /** Creates the proofs of a part. */
    public JobProofs(final NodeProofs node, final Quarantine quarantine, final AddedModules added, final ProvedPart part) {
        this.node = node;
        this.quarantine = quarantine;
        this.added = added;
        this.part = part;
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
        if (users.register() < 0) {
            // Cause: the bundle of the node does not start in a job JVM or in the process of a proof: a proof began after its job had ended. Remedy:
            // report it.
            throw new IllegalStateException("the job has ended");
        }
        try {
            return modules.use(new ProvedModules.SetUp(call.module(), call.parameters(), new NodeLayout(call.nodes(), call.levels())),
                s -> VirtualModule.of(module, fallback, s.layout(), s.parameters()),
                virtual -> PlanChecker.checkPlanned(call.operation(), virtual, call.algorithm(), call.calls(), MAX_TASKS)
                    .map(c -> c + ", nodes=" + call.nodes()).orElse(""));
        } finally {
            users.arriveAndDeregister();
        }
    }

    private void dispose() {
        modules.remove(List.of()).release();
    }

    @Override
    public <C extends Call> void proveBeside(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        final NodeProofs.Proof proof = node.start(call, () -> check(call, module, fallback));
        beside.removeIf(p -> p.result().isDone());
        beside.add(new NodeProofs.Proof(proof.result().thenApply(wrong -> {
            if (!wrong.isEmpty()) {
                quarantine.add(call.module(), wrong);
                part.wrong("a plan of module " + call.module() + " is wrong: " + wrong);
            }
            return wrong;
        }), proof.cpu()));
    }

    @Override
    public CompletionStage<Void> release(final List<ModuleId> kept) {
        final ProvedModules.Removed removed = modules.remove(kept);
        if (removed.releases().isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        final NodeProofs.Proof released = new NodeProofs.Proof(new CompletableFuture<>(), node.cpu());
        beside.removeIf(p -> p.result().isDone());
        beside.add(released);
        released.cpu().start("tutti-proof", () -> {
            try {
                removed.release();
            } finally {
                released.result().complete("");
            }
        });
        return removed.disposed().minimalCompletionStage();
    }

    @Override
    public CompletionStage<Void> close() {
        if (users.getRegisteredParties() == 1 && modules.isEmpty() && beside.isEmpty()) {
            users.arriveAndDeregister();
            return CompletableFuture.completedStage(null);
        }
        final CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofVirtual().inheritInheritableThreadLocals(false).name("tutti-proof-end").start(() -> {
            try {
                beside.forEach(NodeProofs.Proof::await);
                // a proof that goes on, for which nobody waits any more, disposes the modules when it ends
                final CpuLimit cpu = node.cpu();
                cpu.await(cpu.start("tutti-proof", users::arriveAndDeregister)::join);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                end.complete(null);
            }
        });
        return end;
    }

    @Override
    public boolean isAdded(final ModuleId module) {
        return isAdded.computeIfAbsent(module, added::contains);
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
