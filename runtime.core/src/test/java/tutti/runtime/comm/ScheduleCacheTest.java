package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.PlanContext;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;

/** Tests which schedules are planned and cached, and their statistics. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ScheduleCacheTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());

    @Test
    void shouldPlanOnceForAllFormsOfACallAndCountTheOthersAsHits() throws Exception {
        final AtomicLong scratch = new AtomicLong();
        Ranks.run(2, BASIC, rank -> {
            final Communicator c = rank.world();
            final double[] mine = new double[1000];
            final double[] sum = new double[1000];
            final CacheStatistics before = rank.statistics();
            c.engine().blocking().allreduce(mine, sum, 1000, Datatype.DOUBLE, Op.SUM);
            c.engine().nonblocking().allreduce(mine, sum, 1000, Datatype.DOUBLE, Op.SUM).await();
            final PersistentRequest r = c.engine().persistent().allreduce(mine, sum, 1000, Datatype.DOUBLE, Op.SUM);
            for (int i = 0; i < 5; i++) {
                r.start();
                r.await();
            }
            final CacheStatistics active = rank.statistics();
            assertEquals(1, active.plans() - before.plans());
            assertEquals(2, active.hits() - before.hits(), "starts again ask no cache");
            assertEquals(1, active.entries() - before.entries());
            assertEquals(0, active.scratchBytes(), "the one run is out");
            r.free();
            scratch.addAndGet(rank.statistics().scratchBytes());
        });
        assertTrue(scratch.get() > 0, "the runs are back");
    }

    @Test
    void shouldDropTheOldestSignatureWhenThereAreTooMany() throws Exception {
        Ranks.run(1, BASIC, rank -> {
            final Communicator c = rank.world();
            for (int i = 1; i <= 300; i++) {
                c.engine().blocking().allreduce(new int[i], new int[i], i, Datatype.INT, Op.SUM);
            }
            assertEquals(new CacheStatistics(0, 300, 44, 256, 0), rank.statistics());
            c.engine().blocking().allreduce(new int[1], new int[1], 1, Datatype.INT, Op.SUM);
            assertEquals(new CacheStatistics(0, 301, 45, 256, 0), rank.statistics());
        });
    }

    @Test
    void shouldKeepTheStatisticsOfFreedCommunicators() throws Exception {
        final Map<Rank, CacheStatistics> seen = new ConcurrentHashMap<>();
        Ranks.run(2, BASIC, rank -> {
            final CacheStatistics before = rank.statistics();
            final Communicator c = rank.world().dup();
            c.engine().blocking().barrier();
            c.engine().blocking().barrier();
            final CacheStatistics during = rank.statistics();
            c.free();
            rank.world().engine().blocking().barrier();
            assertEquals(before.plans() + 1, during.plans());
            assertEquals(before.hits() + 1, during.hits());
            assertTrue(rank.statistics().plans() >= during.plans() && rank.statistics().hits() >= during.hits());
            seen.put(rank, during);
        });
        assertEquals(2, seen.size());
        seen.forEach((rank, during) -> {
            assertTrue(rank.statistics().plans() >= during.plans());
            assertEquals(0, rank.statistics().entries(), "after Finalize");
            assertEquals(0, rank.statistics().scratchBytes(), "after Finalize");
        });
    }

    @Test
    void shouldAcceptReturnedExecutionsWhileItPlansAndNeverPlanTwiceAtOnce() throws Exception {
        final CountDownLatch planning = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final AtomicInteger plans = new AtomicInteger();
        final ScheduleCache cache = new ScheduleCache(new ScheduleCache.Planner() {
            @Override
            public <C extends Call> Schedule plan(final Operation<C> operation, final C call, final ScheduleCache.Choice choice) {
                if (operation == Operation.ALLGATHER) {
                    assertEquals(1, plans.incrementAndGet());
                    planning.countDown();
                    try {
                        assertTrue(goOn.await(60, TimeUnit.SECONDS));
                    } catch (final InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                return new PlanBuilder(call, 0, 1, false, 1, PlanContext.NONE).freeze();
            }

            @Override
            public ScheduleExecution newExecution(final Schedule schedule) {
                return new ScheduleExecution(schedule, null, null, new RankLifecycle());
            }
        }, new PendingOperations());
        final ScheduleExecution barrier = cache.take(Operation.BARRIER, new Call.Barrier());
        final Call.Allgather call = new Call.Allgather(0, Blocks.uniform(1, 0), false);
        final List<Thread> takers = List.of(Thread.startVirtualThread(() -> cache.take(Operation.ALLGATHER, call)),
            Thread.startVirtualThread(() -> cache.take(Operation.ALLGATHER, call)));
        assertTrue(planning.await(60, TimeUnit.SECONDS));
        cache.release(barrier);
        assertEquals(1, cache.statistics().plans());
        goOn.countDown();
        for (final Thread t : takers) {
            t.join();
        }
        assertEquals(new CacheStatistics(1, 2, 0, 2, 0), cache.statistics());
    }
}
