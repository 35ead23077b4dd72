package tutti.daemon.proofs;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.tck.limit.CpuLimit;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.module.PlanProver.ProvedCall;

/**
 * The calls whose plans were proved on this node, for all jobs. A call is proved once; all ranks that ask wait for the result.
 * Safe for any thread.
 */
public final class NodeProofs {
    /** Most calls that are kept; of more, the oldest is forgotten. */
    private static final int MAX = 4_096;
    private static final Logger LOG = LoggerFactory.getLogger(NodeProofs.class);

    private final SequencedSet<ProvedCall<?>> right = new LinkedHashSet<>();
    private final ConcurrentMap<ProvedCall<?>, Proof> running = new ConcurrentHashMap<>();
    private final Map<String, Long> skipped = new TreeMap<>();
    private final ThreadGroup group;
    private final Duration limit;
    private long proved;
    private long wrong;
    private long nanos;

    /** Proof of the plans of a call. */
    @FunctionalInterface
    interface PlanProof {
        /**
         * Returns what is wrong; empty when nothing is.
         *
         * @throws IllegalArgumentException when the call cannot be proved
         * @throws IllegalStateException    when the call cannot be proved
         */
        String check();
    }

    /** Creates a node without proofs, whose threads will be those of the calling thread's group. */
    public NodeProofs() {
        this(CpuLimit.ACTION);
    }

    /** Creates a node whose jobs wait until a proof has used that processor time. */
    NodeProofs(final Duration limit) {
        this.group = Thread.currentThread().getThreadGroup();
        this.limit = limit;
    }

    /** A proof that runs, or has ended. The result is empty when nothing is wrong, or when the call cannot be proved. */
    record Proof(CompletableFuture<String> result, CpuLimit cpu) {

        /** Waits until the proof has ended or has reached its limit. If the calling thread is interrupted, it waits on and is so again. */
        void await() {
            boolean isInterrupted = false;
            while (true) {
                try {
                    cpu.await(this::await);
                    break;
                } catch (final InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean await(final Duration time) throws InterruptedException {
            try {
                result.get(time.toNanos(), TimeUnit.NANOSECONDS);
                return true;
            } catch (final TimeoutException e) {
                return false;
            } catch (final ExecutionException e) {
                return true;
            }
        }
    }

    /** Returns the limit of code of modules that runs on threads which belong to no job: one that ends may interrupt its threads. */
    CpuLimit cpu() {
        return new CpuLimit(group, "tutti-proof", limit);
    }

    /**
     * Proves a call that was not proved before, on a thread that belongs to no job. Waits for the result, until the proof has reached its limit.
     *
     * @return what is wrong; null when nothing is, or when the call cannot be proved
     */
    @Nullable
    String prove(final ProvedCall<?> call, final PlanProof proof) {
        if (isRight(call)) {
            return null;
        }
        final Proof started = start(call, proof);
        started.await();
        final String result = started.result.exceptionally(e -> "").getNow("");
        return result.isEmpty() ? null : result;
    }

    /** Starts a proof, or returns that which runs. */
    Proof start(final ProvedCall<?> call, final PlanProof proof) {
        final Proof own = new Proof(new CompletableFuture<>(), cpu());
        if (isRight(call)) {
            own.result.complete("");
            return own;
        }
        final Proof other = running.putIfAbsent(call, own);
        if (other != null) {
            return other;
        }
        own.cpu.start("tutti-proof", () -> run(call, proof, own.result));
        return own;
    }

    private void run(final ProvedCall<?> call, final PlanProof proof, final CompletableFuture<String> result) {
        String wrong = "";
        try {
            final long begin = System.nanoTime();
            if (!isRight(call)) {
                wrong = proof.check();
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
            if (right.size() > MAX) {
                right.removeFirst();
            }
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
