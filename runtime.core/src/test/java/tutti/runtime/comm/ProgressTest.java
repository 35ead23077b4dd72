package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests progress while a rank computes, concurrent calls of its threads, and allocation. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProgressTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final int LARGE = 5_000_000;

    /** Computes, without a call into MPI, until all requests are complete. */
    private static double compute(final Request... requests) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        double x = 1;
        for (final Request r : requests) {
            while (!r.isDone()) {
                for (int i = 0; i < 1000; i++) {
                    x = Math.sqrt(x + i);
                }
                assertTrue(System.nanoTime() < end, "not complete");
            }
        }
        return x;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCompleteACollectiveAndLargeMessagesWhileTheProgramComputes(final int nodes) throws Exception {
        Ranks.run(4, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final int p = c.size();
            final long[] mine = new long[100_000];
            Arrays.fill(mine, c.rank() + 1);
            final long[] sum = new long[mine.length];
            final byte[] out = new byte[LARGE];
            new Random(c.rank()).nextBytes(out);
            final byte[] in = new byte[LARGE];
            final Request receive = c.messages().irecv(in, LARGE, Datatype.BYTE, (c.rank() + p - 1) % p, 1);
            final Request send = c.messages().isend(SendMode.STANDARD, out, LARGE, Datatype.BYTE, (c.rank() + 1) % p, 1);
            final Request reduce = c.engine().nonblocking().allreduce(mine, sum, mine.length, Datatype.LONG, Op.SUM);
            final Request barrier = c.engine().nonblocking().barrier();
            assertTrue(compute(receive, send, reduce, barrier) > 0);
            final byte[] expected = new byte[LARGE];
            new Random((c.rank() + p - 1) % p).nextBytes(expected);
            assertArrayEquals(expected, in);
            assertEquals(p * (p + 1) / 2, sum[sum.length - 1]);
        });
    }

    @ParameterizedTest
    @CsvSource({"spin, 1", "spin, 2", "adaptive, 1", "adaptive, 2", "park, 1", "park, 2"})
    void shouldWaitAsTheParameterSays(final String progress, final int nodes) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(3, nodes, transport, Ranks.job(3, Map.of("progress", progress), BASIC), rank -> {
                final Communicator c = rank.world();
                final int p = c.size();
                final byte[] out = new byte[100_000];
                final byte[] in = new byte[out.length];
                for (int i = 0; i < 20; i++) {
                    final int length = i % 2 == 0 ? 8 : out.length;
                    final Request receive = c.messages().irecv(in, length, Datatype.BYTE, (c.rank() + p - 1) % p, i);
                    if (c.rank() == 0) {
                        assertFalse(receive.awaitDone(Duration.ofMillis(1)));
                    }
                    if (c.rank() > 0) {
                        receive.await();
                    }
                    out[0] = (byte) (in[0] + 1);
                    c.messages().send(SendMode.STANDARD, out, length, Datatype.BYTE, (c.rank() + 1) % p, i);
                    assertEquals(0, Request.waitAny(new Request[] {receive}));
                    receive.await();
                    final int[] sum = new int[1];
                    c.engine().blocking().allreduce(new int[] {i}, sum, 1, Datatype.INT, Op.SUM);
                    assertEquals(p * i, sum[0]);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spin", "adaptive", "park"})
    void shouldEndARankThatWaits(final String progress) {
        final AssertionError failed = assertThrows(AssertionError.class, () -> {
            try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
                Ranks.run(2, 2, transport, Ranks.job(2, Map.of("progress", progress), BASIC), rank -> {
                    if (rank.worldRank() == 1) {
                        throw new IllegalStateException("rank 1 fails");
                    }
                    rank.world().messages().recv(new byte[1], 1, Datatype.BYTE, 1, 99);
                });
            }
        });
        assertEquals("rank 1 fails", failed.getCause().getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldLetThreadsOfARankWaitForDifferentRequestsAtOnce(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final int threads = 8;
            final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            final List<Thread> started = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                final int tag = t;
                started.add(Thread.ofPlatform().start(() -> {
                    try {
                        final int[] got = new int[1];
                        for (int i = 0; i < 200; i++) {
                            final Request receive = c.messages().irecv(got, 1, Datatype.INT, 1 - c.rank(), tag);
                            c.messages().send(SendMode.STANDARD, new int[] {i}, 1, Datatype.INT, 1 - c.rank(), tag);
                            final Request[] any = {receive};
                            assertEquals(0, Request.waitAny(any));
                            assertEquals(tag, receive.waitFor().tag());
                            assertEquals(i, got[0]);
                        }
                    } catch (final Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            for (final Thread t : started) {
                t.join();
            }
            assertEquals(List.of(), failures);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldGiveEachOfSeveralMatchingProbesAMessageOfItsOwn(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final int n = 100;
            final int threads = 4;
            if (c.rank() == 1) {
                for (int i = 0; i < n * threads; i++) {
                    c.messages().send(SendMode.STANDARD, new int[] {i}, 1, Datatype.INT, 0, 3);
                }
                return;
            }
            final boolean[] seen = new boolean[n * threads];
            final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            final List<Thread> started = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                started.add(Thread.ofPlatform().start(() -> {
                    try {
                        final int[] got = new int[1];
                        for (int i = 0; i < n; i++) {
                            c.messages().mprobe(1, 3).recv(got, 1, Datatype.INT);
                            synchronized (seen) {
                                assertTrue(!seen[got[0]]);
                                seen[got[0]] = true;
                            }
                        }
                    } catch (final Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            for (final Thread t : started) {
                t.join();
            }
            assertEquals(List.of(), failures);
        });
    }

    @Test
    void shouldAllocateNothingWhenMessagesAreStartedAgain() throws Exception {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Ranks.run(1, 1, BASIC, rank -> {
            final Communicator c = rank.world();
            final byte[] attached = new byte[100_000];
            rank.attachedBuffer().attach(attached);
            final int[] data = new int[100];
            final int[] got = new int[100];
            for (final SendMode mode : SendMode.values()) {
                final PersistentRequest send = c.messages().sendInit(mode, data, 100, Datatype.INT, 0, 1);
                final PersistentRequest receive = c.messages().recvInit(got, 100, Datatype.INT, 0, 1);
                long least = Long.MAX_VALUE;
                for (int round = 0; round < 5; round++) {
                    final long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < 1000; i++) {
                        // once the message is expected, and once it is unexpected
                        if (i % 2 == 0) {
                            receive.start();
                            send.start();
                        } else {
                            send.start();
                            receive.start();
                        }
                        send.await();
                        receive.await();
                    }
                    least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                }
                assertTrue(least < 1000, "mode=" + mode + ", bytes=" + least);
            }
            assertSame(attached, rank.attachedBuffer().detach());
        });
    }
}
