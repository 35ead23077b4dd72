package tutti.daemon.proofs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Version;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.daemon.modules.Quarantine;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.PlanProver.ProvedCall;
import tutti.runtime.process.LogLines;

/** Tests that proofs at first use dispose the modules that they initialized. */
@Timeout(120)
class JobProofsTest {
    private static final ModuleId HELPED = new ModuleId("helped", new Version(1, 0, 0), "ab");
    private static final int RANKS = 3;
    private static final CollModule NO_OTHER = comm -> new QueryResult.Declined("not asked");

    /** A module with a thread per instance, from its initialization to its disposal. */
    private static final class Helped implements CollModule {
        private final CountDownLatch started = new CountDownLatch(RANKS);
        private final CountDownLatch planned = new CountDownLatch(1);
        private final List<Thread> helpers = new CopyOnWriteArrayList<>();
        private volatile boolean refusesDisposal;

        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Usable(50, new CollInstance() {
                private Thread helper;

                @Override
                public AlgorithmTable table() {
                    return AlgorithmTable.builder().intra(Operation.BARRIER, "none", (call, plan) -> {
                        try {
                            planned.await();
                        } catch (final InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }).build();
                }

                @Override
                public AlgorithmTable init() {
                    helper = Thread.ofPlatform().daemon().start(() -> {
                        try {
                            new CountDownLatch(1).await();
                        } catch (final InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    helpers.add(helper);
                    started.countDown();
                    return table();
                }

                @Override
                public void dispose() {
                    if (refusesDisposal) {
                        throw new IllegalStateException("no way out");
                    }
                    helper.interrupt();
                }
            });
        }

        void assertHelpersEnd() throws InterruptedException {
            started.await();
            assertEquals(RANKS, helpers.size());
            for (final Thread helper : helpers) {
                helper.join();
            }
        }
    }

    @RegisterExtension
    private final LogLines log = new LogLines(ProvedModules.class);
    private final Helped module = new Helped();
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    @TempDir
    private Path dir;

    private JobProofs proofs(final NodeProofs node) {
        final NodeModules nowhere = (NodeModules) Proxy.newProxyInstance(NodeModules.class.getClassLoader(), new Class<?>[] {NodeModules.class},
            (proxy, method, args) -> null);
        return new JobProofs(node, new Quarantine(dir, nowhere), id -> true, wrong::add);
    }

    private static ProvedCall<Call.Barrier> call(final String... parameter) {
        return new ProvedCall<>(HELPED, Operation.BARRIER, "none", parameter.length == 0 ? Map.of() : Map.of(parameter[0], "1"),
            Collections.nCopies(RANKS, 0), List.of(),
            Collections.nCopies(RANKS, new Call.Barrier()));
    }

    @Test
    void shouldDisposeTheModulesWhenTheJobHasEnded() throws Exception {
        final JobProofs proofs = proofs(new NodeProofs());
        module.planned.countDown();
        proofs.prove(call(), module, NO_OTHER);
        assertTrue(module.helpers.stream().allMatch(Thread::isAlive), "a later proof of the job uses them");
        proofs.close().toCompletableFuture().get(60, TimeUnit.SECONDS);
        module.assertHelpersEnd();
    }

    @Test
    void shouldDisposeTheModulesAfterTheLastProofBesideTheJob() throws Exception {
        final JobProofs proofs = proofs(new NodeProofs());
        proofs.proveBeside(call(), module, NO_OTHER);
        final CompletableFuture<Void> closed = proofs.close().toCompletableFuture();
        assertFalse(closed.isDone());
        module.planned.countDown();
        closed.get(60, TimeUnit.SECONDS);
        module.assertHelpersEnd();
        assertEquals(1, wrong.size(), wrong::toString);
    }

    @Test
    void shouldEndTheJobBeforeAProofThatDoesNotEndAndDisposeTheModulesAfterIt() throws Exception {
        final JobProofs proofs = proofs(new NodeProofs(Duration.ofSeconds(2)));
        assertNull(proofs.prove(call(), module, NO_OTHER), "it waits no longer than the limit");
        proofs.close().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertTrue(module.helpers.stream().allMatch(Thread::isAlive), "the proof uses them");
        module.planned.countDown();
        module.assertHelpersEnd();
        assertNull(proofs.prove(call("other"), module, NO_OTHER), "nothing is proved after the end");
        assertEquals(RANKS, module.helpers.size());
    }

    @Test
    void shouldDisposeTheModulesThatTheJobDoesNotUseAnyMore() throws Exception {
        final JobProofs proofs = proofs(new NodeProofs());
        module.planned.countDown();
        proofs.prove(call(), module, NO_OTHER);
        proofs.release(List.of(HELPED)).toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertTrue(module.helpers.stream().allMatch(Thread::isAlive), "it is used");
        proofs.release(List.of()).toCompletableFuture().get(60, TimeUnit.SECONDS);
        module.assertHelpersEnd();
        proofs.prove(call("other"), module, NO_OTHER);
        assertEquals(2 * RANKS, module.helpers.size(), "it is set up again");
        proofs.close().toCompletableFuture().get(60, TimeUnit.SECONDS);
        for (final Thread helper : module.helpers) {
            helper.join();
        }
    }

    @Test
    void shouldDisposeAReleasedModuleAfterTheProofThatUsesIt() throws Exception {
        final JobProofs proofs = proofs(new NodeProofs());
        proofs.proveBeside(call(), module, NO_OTHER);
        module.started.await();
        final CompletableFuture<Void> released = proofs.release(List.of()).toCompletableFuture();
        assertFalse(released.isDone());
        module.planned.countDown();
        released.get(60, TimeUnit.SECONDS);
        module.assertHelpersEnd();
        proofs.close().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndAtOnceWhereNothingWasProved() {
        final JobProofs proofs = proofs(new NodeProofs());
        assertTrue(proofs.close().toCompletableFuture().isDone());
    }

    @Test
    void shouldSayThatADisposalFailed() throws Exception {
        final JobProofs proofs = proofs(new NodeProofs());
        module.planned.countDown();
        module.refusesDisposal = true;
        proofs.prove(call(), module, NO_OTHER);
        proofs.close().toCompletableFuture().get(60, TimeUnit.SECONDS);
        log.assertLine("dispose of module helped 1.0.0 failed after a proof: dispose failed: java.lang.IllegalStateException: no way out");
        module.helpers.forEach(Thread::interrupt);
    }
}
