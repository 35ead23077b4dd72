package tutti.daemon.modules;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.module.PlanProver.ProvedCall;

/**
 * The calls whose plans were proved on this node, for all jobs. A call is proved once; all ranks that ask wait for the result.
 * Safe for any thread.
 */
public final class NodeProofs {
    /** Most calls that are kept; of more, the oldest is forgotten. */
    private static final int MAX = 4_096;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(NodeProofs.class);

    private final Set<ProvedCall<?>> right = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<ProvedCall<?>, Boolean> eldest) {
            return size() > MAX;
        }
    });
    private final ConcurrentMap<ProvedCall<?>, CompletableFuture<String>> running = new ConcurrentHashMap<>();
    private final Map<String, Long> skipped = new TreeMap<>();
    private final ThreadGroup group;
    private final Duration limit;
    private long proved;
    private long wrong;
    private long nanos;

    /** Creates a node without proofs, whose threads will be those of the calling thread's group. */
    public NodeProofs() {
        this(LIMIT);
    }

    /** Creates a node whose jobs wait as long as the limit for a proof. */
    NodeProofs(final Duration limit) {
        this.group = Thread.currentThread().getThreadGroup();
        this.limit = limit;
    }

    /** Returns how long a job waits for a proof. */
    Duration limit() {
        return limit;
    }

    /**
     * Proves a call that was not proved before, on a thread that belongs to no job: one that ends may interrupt its threads. Waits for the
     * result, up to the limit.
     *
     * @param proof returns what is wrong, or an empty text; throws {@link IllegalArgumentException} or {@link IllegalStateException} when the call
     *              cannot be proved
     * @return what is wrong; null when nothing is, or when the call cannot be proved
     */
    String prove(final ProvedCall<?> call, final Supplier<String> proof) {
        final String result = start(call, proof).completeOnTimeout("", limit.toMillis(), TimeUnit.MILLISECONDS).handle((r, e) -> r).join();
        return result == null || result.isEmpty() ? null : result;
    }

    /** Starts a proof, or returns that which runs. The result is empty when nothing is wrong, or when the call cannot be proved. */
    CompletableFuture<String> start(final ProvedCall<?> call, final Supplier<String> proof) {
        if (isRight(call)) {
            return CompletableFuture.completedFuture("");
        }
        final CompletableFuture<String> own = new CompletableFuture<>();
        final CompletableFuture<String> other = running.putIfAbsent(call, own);
        if (other != null) {
            return other.copy();
        }
        run(() -> run(call, proof, own));
        return own.copy();
    }

    /** Runs code of modules on a thread that belongs to no job. */
    void run(final Runnable code) {
        // a FutureTask drops its Runnable when it ends: references to the thread may remain, which must not retain the modules
        Thread.ofPlatform().group(group).daemon().inheritInheritableThreadLocals(false).name("tutti-proof").start(new FutureTask<>(code, null));
    }

    private void run(final ProvedCall<?> call, final Supplier<String> proof, final CompletableFuture<String> result) {
        String wrong = "";
        try {
            final long begin = System.nanoTime();
            if (!isRight(call)) {
                wrong = proof.get();
                count(call, wrong, System.nanoTime() - begin);
            }
        } catch (final IllegalArgumentException | IllegalStateException e) {
            LOG.debug("no proof of {}", call, e);
            skip("module cannot be set up for a proof");
        } finally {
            running.remove(call);
            result.complete(wrong);
        }
    }

    private synchronized boolean isRight(final ProvedCall<?> call) {
        return right.contains(call);
    }

    private synchronized void count(final ProvedCall<?> call, final String result, final long duration) {
        proved++;
        nanos += duration;
        if (result.isEmpty()) {
            right.add(call);
        } else {
            wrong++;
        }
    }

    /** Counts a call that is not proved. */
    synchronized void skip(final String reason) {
        skipped.merge(reason, 1L, Long::sum);
    }

    /** Returns the numbers of proofs since the node started. */
    public synchronized ProofCounts counts() {
        return new ProofCounts(proved, wrong, nanos / 1_000, skipped);
    }
}
