package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests collectives that are created once and started many times. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PersistentCollectiveTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldSeeWhatTheCallerChangedBetweenStarts(final int nodes) throws Exception {
        Ranks.run(3, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final long[] mine = new long[2];
            final long[] sums = new long[2];
            final boolean[] any = new boolean[3];
            final int[] gapped = new int[6];
            final Datatype everyOther = Datatype.vector(3, 1, 2, Datatype.INT);
            final PersistentRequest sum = c.engine().persistent().allreduce(mine, sums, 2, Datatype.LONG, Op.SUM);
            final PersistentRequest or = c.engine().persistent().allreduce(Reserved.IN_PLACE, any, 3, Datatype.BOOLEAN, Op.LOR);
            final PersistentRequest bcast = c.engine().persistent().bcast(gapped, 1, everyOther, 1);
            for (int i = 0; i < 100; i++) {
                mine[0] = i + c.rank();
                mine[1] = -i;
                for (int k = 0; k < 3; k++) {
                    any[k] = i % 3 == k && c.rank() == k;
                }
                for (int k = 0; k < 6; k++) {
                    gapped[k] = c.rank() == 1 ? i + k : -i;
                }
                sum.start();
                or.start();
                bcast.start();
                bcast.await();
                or.await();
                sum.await();
                assertArrayEquals(new long[] {3L * i + 3, -3L * i}, sums);
                assertArrayEquals(new boolean[] {i % 3 == 0, i % 3 == 1, i % 3 == 2}, any);
                assertArrayEquals(c.rank() == 1 ? new int[] {i, i + 1, i + 2, i + 3, i + 4, i + 5} : new int[] {i, -i, i + 2, -i, i + 4, -i},
                    gapped);
            }
        });
    }

    @Test
    void shouldShareThePlanAndTheExecutionWithTheOtherForms() throws Exception {
        Ranks.run(3, BASIC, rank -> {
            final Communicator c = rank.world();
            final double[] into = new double[10];
            c.engine().blocking().allreduce(new double[10], into, 10, Datatype.DOUBLE, Op.SUM);
            c.engine().nonblocking().allreduce(new double[10], into, 10, Datatype.DOUBLE, Op.SUM).await();
            for (int i = 0; i < 10; i++) {
                final PersistentRequest r = c.engine().persistent().allreduce(new double[10], into, 10, Datatype.DOUBLE, Op.SUM);
                for (int k = 0; k < 10; k++) {
                    r.start();
                    r.await();
                }
                r.free();
            }
            assertEquals(1, c.engine().blocking().planned());
        });
    }

    /**
     * Tests that starts allocate nothing. It uses no reduction: whether the JIT compiler removes its allocations depends on earlier tests in
     * this JVM.
     */
    @Test
    void shouldStartWithoutAllocating() throws Exception {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Ranks.run(2, BASIC, rank -> {
            final Communicator c = rank.world();
            final PersistentRequest r = c.engine().persistent().allgather(new long[] {1}, 1, Datatype.LONG, new long[2], 1, Datatype.LONG);
            final int times = 10_000;
            final long[] most = {1};
            // code that is not compiled yet still allocates
            for (int round = 0; round < 30 && most[0] > 0; round++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < times; i++) {
                    r.start();
                    r.await();
                }
                final long each = (threads.getCurrentThreadAllocatedBytes() - before) / times;
                c.engine().blocking().allreduce(new long[] {each}, most, 1, Datatype.LONG, Op.MAX);
            }
            assertEquals(0, most[0], "bytes per start");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCompleteWhenItIsFreedMeanwhile(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final long[] sum = new long[1];
            final int[] ready = new int[1];
            for (int i = 0; i < 50; i++) {
                final PersistentRequest r = c.engine().persistent().allreduce(new long[] {i}, sum, 1, Datatype.LONG, Op.SUM);
                if (c.rank() == 0) {
                    r.start();
                    assertFalse(r.test());
                    r.free();
                    c.messages().send(SendMode.STANDARD, ready, 1, Datatype.INT, 1, 0);
                } else {
                    c.messages().recv(ready, 1, Datatype.INT, 0, 0);
                    r.start();
                    r.free();
                }
                r.await();
                assertEquals(2 * i, sum[0]);
                final MpiFailure e = assertThrows(MpiFailure.class, r::start);
                assertEquals("persistent collective cannot be started: state=FREED", e.getMessage());
                assertEquals(ErrorClass.REQUEST, e.errorClass());
            }
            assertEquals(1, c.engine().blocking().planned());
        });
    }

    @Test
    void shouldRefuseToStartWhatIsActive() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            final Communicator c = rank.world();
            final PersistentRequest r = c.engine().persistent().barrier();
            if (c.rank() == 0) {
                r.start();
                assertEquals("persistent collective cannot be started: state=ACTIVE", assertThrows(MpiFailure.class, r::start).getMessage());
                c.messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 1, 0);
            } else {
                c.messages().recv(new int[1], 1, Datatype.INT, 0, 0);
                r.start();
            }
            r.await();
        });
    }

    @Test
    void shouldBeNumberedWhenItIsMade() throws Exception {
        Ranks.run(3, BASIC, rank -> {
            final Communicator c = rank.world();
            final int[][] data = new int[2][1];
            final PersistentRequest[] made = new PersistentRequest[2];
            // created in one order, started in different ones
            for (int i = 0; i < 2; i++) {
                made[i] = c.engine().persistent().bcast(data[i], 1, Datatype.INT, i);
            }
            final int first = c.rank() % 2;
            for (int i = 0; i < 20; i++) {
                data[0][0] = c.rank() == 0 ? i : -1;
                data[1][0] = c.rank() == 1 ? -i : 1;
                made[first].start();
                final Request between = c.engine().nonblocking().barrier();
                made[1 - first].start();
                made[0].await();
                between.await();
                made[1].await();
                assertEquals(i, data[0][0]);
                assertEquals(-i, data[1][0]);
            }
        });
    }

    @Test
    void shouldBeCompleteAtOnceWhenThereIsNothingToDo() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            final PersistentRequest r = rank.world().engine().persistent().bcast(null, 0, Datatype.INT, 0);
            r.start();
            assertTrue(r.test());
            r.free();
        });
    }

    @Test
    void shouldCheckArgumentsWhenItIsMade() throws Exception {
        Ranks.run(1, BASIC, rank -> {
            final MpiFailure e = assertThrows(MpiFailure.class, () -> rank.world().engine().persistent().bcast(new int[1], 1, Datatype.INT, 7));
            assertEquals("root out of range: root=7, size=1", e.getMessage());
        });
    }
}
