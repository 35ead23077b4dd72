package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** A rank is ended because of an error of its own that another rank was told first: it raises the error, though its call is not complete. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OwnFailureTest {
    private static final Op BROKEN = Op.user("broken", true, (in, inout, count, type) -> {
        throw new IllegalStateException("boom");
    });

    /** The ways to make the call and wait for it. */
    private enum Form {
        BLOCKING {
            @Override
            void call(final Communicator comm, final int[] data) {
                comm.engine().blocking().allreduce(data, new int[1], 1, Datatype.INT, BROKEN);
            }
        },
        NONBLOCKING {
            @Override
            void call(final Communicator comm, final int[] data) {
                comm.engine().nonblocking().allreduce(data, new int[1], 1, Datatype.INT, BROKEN).await();
            }
        },
        TESTED {
            @Override
            void call(final Communicator comm, final int[] data) {
                final Request request = comm.engine().nonblocking().allreduce(data, new int[1], 1, Datatype.INT, BROKEN);
                while (!request.test()) {
                    Thread.onSpinWait();
                }
            }
        },
        ANY {
            @Override
            void call(final Communicator comm, final int[] data) {
                final Request[] requests = {null, comm.engine().nonblocking().allreduce(data, new int[1], 1, Datatype.INT, BROKEN)};
                requests[Request.waitAny(requests)].await();
            }
        },
        PERSISTENT {
            @Override
            void call(final Communicator comm, final int[] data) {
                final PersistentRequest request = comm.engine().persistent().allreduce(data, new int[1], 1, Datatype.INT, BROKEN);
                request.start();
                request.await();
            }
        };

        abstract void call(Communicator comm, int[] data);
    }

    /** A module whose allreduce fails on rank 1, which tells rank 0 and then waits for rank 2. */
    private static final class Chain implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return QueryResult.usable(99, AlgorithmTable.builder().intra(Operation.ALLREDUCE, "chain", (call, plan) -> plan(call, plan)).build());
        }

        private static void plan(final Call.Allreduce call, final Plan plan) {
            final BufferRange data = plan.scratch(call.bytes());
            switch (plan.rank()) {
                case 0 -> {
                    plan.send(Buffer.SEND.at(0, call.bytes()), 1);
                    plan.recv(data, 1);
                }
                case 1 -> {
                    plan.recv(data, 0);
                    plan.reduce(call.reduction(), Buffer.SEND.at(0, call.bytes()), data);
                    plan.send(data, 0);
                    plan.recv(plan.scratch(call.bytes()), 2);
                }
                default -> plan.send(Buffer.SEND.at(0, call.bytes()), 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void shouldRaiseItsErrorWhenItIsEndedInTheCall(final Form form) {
        final CompletableFuture<Rank> failing = new CompletableFuture<>();
        final CompletableFuture<Thread> waiting = new CompletableFuture<>();
        final CompletableFuture<Throwable> raised = new CompletableFuture<>();
        final CompletableFuture<MpiFailure> told = new CompletableFuture<>();
        final AssertionError end = assertThrows(AssertionError.class, () -> Ranks.run(3, List.of(new Chain(), new BasicModule()), rank -> {
            switch (rank.worldRank()) {
                case 0 -> {
                    told.complete(assertThrows(MpiFailure.class, () -> form.call(rank.world(), new int[1])));
                    failing.get().end("rank 0 failed");
                    LockSupport.unpark(waiting.get());
                }
                case 1 -> {
                    failing.complete(rank);
                    waiting.complete(Thread.currentThread());
                    raised.complete(assertThrows(Throwable.class, () -> form.call(rank.world(), new int[1])));
                }
                default -> raised.get();
            }
        }));
        assertTrue(told.join().isReportedByPeer());
        final MpiFailure own = assertInstanceOf(MpiFailure.class, raised.join());
        assertFalse(own.isReportedByPeer());
        assertEquals("reduction failed: java.lang.IllegalStateException: boom", own.getMessage());
        assertTrue(end.getMessage().contains("rank 0 failed"), end.getMessage());
    }
}
