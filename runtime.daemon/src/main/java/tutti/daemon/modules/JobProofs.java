package tutti.daemon.modules;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.VirtualModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.PlanProver;

/**
 * Proofs for the part of a job on this node. Holds the job's modules, set up on virtual ranks, until the part ends. Safe for any thread.
 *
 * <p>A proof covers what the module plans; nested collectives on hidden communicators are those of the fallback module in it, and are proved as calls
 * of their own where the ranks know them.
 */
public final class JobProofs implements PlanProver {
    /** Limit of the number of tasks in one rank's plan. */
    private static final int MAX_TASKS = 16_384;

    private final NodeProofs node;
    private final Quarantine quarantine;
    private final Predicate<ModuleId> added;
    private final Consumer<String> onWrong;
    private final ConcurrentMap<ModuleId, Boolean> isAdded = new ConcurrentHashMap<>();
    private final ConcurrentMap<SetUp, VirtualModule> modules = new ConcurrentHashMap<>();
    private final Set<CompletableFuture<Void>> beside = ConcurrentHashMap.newKeySet();

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
    public <C extends Call> String prove(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        final String wrong = node.prove(call, () -> check(call, module, fallback));
        if (wrong != null) {
            quarantine.add(call.module(), wrong);
        }
        return wrong;
    }

    private <C extends Call> String check(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        final VirtualModule virtual = modules.computeIfAbsent(new SetUp(call.module(), call.parameters(), call.nodes()),
            s -> VirtualModule.of(module, fallback, new NodeLayout(s.nodes()), s.parameters()));
        return PlanChecker.checkPlanned(call.operation(), virtual, call.algorithm(), call.calls(), MAX_TASKS)
            .map(c -> c + ", nodes=" + call.nodes()).orElse("");
    }

    @Override
    public <C extends Call> void proveBeside(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
        final CompletableFuture<Void> done = node.start(call, () -> check(call, module, fallback)).thenAccept(wrong -> {
            if (!wrong.isEmpty()) {
                quarantine.add(call.module(), wrong);
                onWrong.accept("a plan of module " + call.module() + " is wrong: " + wrong);
            }
        });
        beside.removeIf(CompletableFuture::isDone);
        beside.add(done);
    }

    /** Returns a stage that completes when no proof runs beside the job any more. */
    public CompletableFuture<Void> finished() {
        return CompletableFuture.allOf(beside.toArray(CompletableFuture[]::new));
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
    public String quarantined(final ModuleId module) {
        return quarantine.reason(module);
    }
}
