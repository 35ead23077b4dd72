package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.smp.SmpModule;
import tutti.runtime.FaultyRanks;
import tutti.runtime.context.CommFaults;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Ranks and nodes fail while the others go on. */
@Timeout(120)
class LostRanksTest {
    private static void run(final int ranks, final int nodes, final FaultyRanks.Body body) throws Exception {
        FaultyRanks.run(ranks, nodes, Map.of(), List.of(new BasicModule()), body);
    }

    private static ErrorClass failure(final org.junit.jupiter.api.function.Executable call) {
        return assertThrows(MpiFailure.class, call).errorClass();
    }

    private static int sum(final Communicator c, final int own) {
        final int[] data = {own};
        c.engine().blocking().allreduce(Reserved.IN_PLACE, data, 1, Datatype.INT, Op.SUM);
        return data[0];
    }

    @Test
    void shouldAgreeWithoutFailures() throws Exception {
        for (final int ranks : new int[] {1, 2, 3, 5, 8}) {
            run(ranks, Math.min(ranks, 3), (rank, job) -> {
                final Communicator c = rank.world();
                for (int i = 0; i < 20; i++) {
                    final AgreementRequest agreed = c.agree(c.rank() == i % c.size() ? 0b1101 : 0b0111);
                    agreed.await();
                    assertEquals(c.size() == 1 ? 0b1101 : 0b0101, agreed.flag());
                }
                final Communicator all = c.shrink();
                assertEquals(Communicator.Comparison.CONGRUENT, all.compare(c));
                assertEquals(ranks, sum(all, 1));
                all.free();
            });
        }
    }

    @Test
    void shouldFailReceivesFromAKilledNodeAndNoOther() throws Exception {
        run(6, 3, (rank, job) -> {
            final Communicator c = rank.world();
            if (rank.worldRank() == 5) {
                job.kill(2);
            }
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> c.messages().recv(new int[1], 1, Datatype.INT, 2, 7)));
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> c.messages().recv(new int[1], 1, Datatype.INT, 5, 7)));
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> c.messages().send(SendMode.STANDARD, new int[100_000], 100_000, Datatype.INT, 5, 7)));
            final int[] from = new int[1];
            final int next = new int[] {1, 3, -1, 4, 0}[c.rank()];
            final int before = new int[] {4, 0, -1, 1, 3}[c.rank()];
            final Request receiving = c.messages().irecv(from, 1, Datatype.INT, before, 8);
            c.messages().send(SendMode.STANDARD, new int[] {c.rank()}, 1, Datatype.INT, next, 8);
            receiving.await();
            assertEquals(before, from[0]);
            assertArrayEquals(new int[] {2, 5}, c.failed().worldRanks());
        });
    }

    @Test
    void shouldShrinkAfterARankHasFailedOnTheSameNode() throws Exception {
        run(4, 1, (rank, job) -> {
            final Communicator c = rank.world();
            assertEquals(4, sum(c, 1));
            if (c.rank() == 2) {
                throw new FaultyRanks.Died();
            }
            // another rank may have revoked it
            assertTrue(List.of(ErrorClass.PROC_FAILED, ErrorClass.REVOKED).contains(failure(() -> sum(c, 1))));
            c.revoke();
            assertEquals(ErrorClass.REVOKED, failure(() -> sum(c, 1)));
            assertTrue(c.isRevoked());
            final Communicator left = c.shrink();
            assertEquals(3, left.size());
            assertArrayEquals(new int[] {0, 1, 3}, left.group().worldRanks());
            for (int i = 0; i < 100; i++) {
                assertEquals(3 * i, sum(left, i));
            }
            left.free();
        });
    }

    @Test
    void shouldEndAllWaitsByARevocation() throws Exception {
        run(7, 3, (rank, job) -> {
            final Communicator c = rank.world().dup();
            if (c.rank() == 3) {
                c.revoke();
            }
            final ErrorClass got = switch (c.rank() % 3) {
                case 0 -> failure(() -> c.messages().recv(new int[1], 1, Datatype.INT, (c.rank() + 1) % 7, 7));
                case 1 -> failure(() -> c.messages().recv(new int[1], 1, Datatype.INT, Reserved.ANY_SOURCE, 7));
                default -> failure(() -> sum(c, 1));
            };
            assertEquals(ErrorClass.REVOKED, got);
            final AgreementRequest agreed = c.agree(1 << c.rank());
            agreed.await();
            assertEquals(0, agreed.flag());
            final Communicator left = c.shrink();
            assertEquals(7, sum(left, 1));
            c.free();
            left.free();
            assertEquals(7, sum(rank.world(), 1));
        });
    }

    @Test
    void shouldShrinkToOneRank() throws Exception {
        run(5, 5, (rank, job) -> {
            Communicator c = rank.world();
            for (int lost = 0; lost < 4; lost++) {
                if (rank.worldRank() == lost) {
                    if (lost % 2 == 0) {
                        throw new FaultyRanks.Died();
                    }
                    job.kill(lost);
                }
                c = c.shrink();
                while (c.group().contains(lost)) {
                    c = c.shrink();
                }
                assertEquals(4 - lost, sum(c, 1));
            }
            assertEquals(1, c.size());
        });
    }

    @Test
    void shouldAgreeAgainWhenLossesAreAcknowledged() throws Exception {
        final CountDownLatch told = new CountDownLatch(2);
        run(3, 3, (rank, job) -> {
            final Communicator c = rank.world();
            if (c.rank() == 0) {
                throw new FaultyRanks.Died();
            }
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> c.messages().recv(new int[1], 1, Datatype.INT, 0, 7)));
            told.countDown();
            told.await(60, TimeUnit.SECONDS);
            final AgreementRequest first = c.agree(6 + c.rank());
            assertEquals(ErrorClass.PROC_FAILED, failure(first::await));
            assertEquals(7 & 8, first.flag() & 8);
            assertEquals(0, c.acknowledge(0));
            assertEquals(1, c.acknowledge(5));
            final AgreementRequest second = c.agree(5 + c.rank());
            second.await();
            assertEquals(6 & 7, second.flag());
            assertEquals(List.of(0), List.of(c.failed().worldRank(0)));
        });
    }

    @Test
    void shouldCreateACommunicatorEverywhereOrNowhere() throws Exception {
        run(6, 3, (rank, job) -> {
            final Communicator c = rank.world();
            if (c.rank() == 4) {
                job.kill(1);
            }
            assertEquals(ErrorClass.PROC_FAILED, failure(c::dup));
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> c.split(c.rank() % 2, 0)));
            final Communicator left = c.shrink();
            final Communicator half = left.split(left.rank() % 2, 0);
            assertEquals(2, sum(half, 1));
            final Communicator copy = left.dup();
            assertEquals(4, sum(copy, 1));
            assertEquals(Group.UNDEFINED, copy.group().rankOf(1));
        });
    }

    @Test
    void shouldLeaveNothingOfACommunicatorThatWasRevoked() throws Exception {
        FaultyRanks.run(6, 2, Map.of(), List.of(new BasicModule(), new SmpModule(), new DissemModule()), (rank, job) -> {
            Communicator c = rank.world().dup();
            sum(c, 1);
            rank.world().engine().blocking().barrier();
            if (rank.worldRank() == 3) {
                throw new FaultyRanks.Died();
            }
            final int before = rank.communicators();
            for (int i = 0; i < 20; i++) {
                final Request posted = c.messages().irecv(new int[1], 1, Datatype.INT, Reserved.ANY_SOURCE, 7);
                final int[] data = new int[5000];
                final Request started = c.engine().nonblocking().allreduce(Reserved.IN_PLACE, data, data.length, Datatype.INT, Op.SUM);
                // all have begun both
                AgreementRequest.startOfAny(c.context(), CommFaults.PROGRAM, 0, PendingWait.Kind.AGREEMENT).await();
                c.revoke();
                failure(posted::await);
                try {
                    started.await();
                } catch (final MpiFailure e) {
                    // on some ranks it may have succeeded before
                    assertTrue(List.of(ErrorClass.PROC_FAILED, ErrorClass.REVOKED).contains(e.errorClass()));
                }
                final Communicator left = c.shrink();
                c.free();
                c = left;
                assertEquals(5, sum(c, 1));
            }
            // the last one is released when the others have freed it
            while (rank.communicators() > before) {
                Thread.onSpinWait();
            }
            c.agree(0).await();
            // of COMM_WORLD, the last one, and those of the module that they have
            assertTrue(rank.context().job().regions().count() <= 6, () -> "regions=" + rank.context().job().regions().count());
        });
    }

    @Test
    void shouldMergeIntercommunicatorsEverywhereOrNowhere() throws Exception {
        run(6, 3, (rank, job) -> {
            final Communicator w = rank.world();
            final Communicator half = w.split(w.rank() / 3, 0);
            final Communicator inter = half.createIntercomm(0, w, w.rank() < 3 ? 3 : 0, 7);
            w.engine().blocking().barrier();
            if (w.rank() == 5) {
                throw new FaultyRanks.Died();
            }
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> inter.merge(false)));
            final Communicator left = inter.shrink();
            assertEquals(5, left.size() + left.remoteSize());
            final Communicator all = left.merge(w.rank() < 3);
            assertEquals(5, sum(all, 1));
            assertEquals(w.rank() < 3 ? w.rank() + 2 : w.rank() - 3, all.rank());
        });
    }

    @Test
    void shouldShrinkWhileOtherCallsGoOn() throws Exception {
        run(7, 3, (rank, job) -> {
            final Communicator c = rank.world();
            if (c.rank() == 1) {
                throw new FaultyRanks.Died();
            }
            final ShrinkRequest first = c.iShrink();
            final AgreementRequest agreed =
                AgreementRequest.startOfAny(c.context(), CommFaults.PROGRAM, ~(1 << c.rank()), PendingWait.Kind.AGREEMENT);
            if (c.rank() == 4) {
                throw new FaultyRanks.Died();
            }
            final ShrinkRequest second = c.iShrink();
            second.await();
            agreed.await();
            first.await();
            assertEquals(0, agreed.flag() & 0b1101101);
            Communicator left = second.communicator();
            while (left.group().contains(4) || left.group().contains(1)) {
                left = left.shrink();
            }
            assertEquals(5, sum(left, 1));
            assertTrue(first.communicator().size() >= 5);
        });
    }

    @Test
    void shouldEndACreationThatOthersHaveBegunWhenOneRankRevokes() throws Exception {
        run(5, 2, (rank, job) -> {
            Communicator c = rank.world();
            for (int i = 0; i < 30; i++) {
                final Communicator on = c;
                if (c.rank() == i % c.size()) {
                    c.revoke();
                } else {
                    assertEquals(ErrorClass.REVOKED, failure(i % 3 == 0 ? () -> on.split(0, 0) : on::dup));
                }
                final AgreementRequest agreed = c.agree(i);
                agreed.await();
                assertEquals(i, agreed.flag());
                c = c.shrink();
                assertEquals(5, sum(c, 1));
                // some may not have left the call
                c.agree(0).await();
            }
        });
    }
}
