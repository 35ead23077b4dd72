package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static tutti.runtime.comm.CommunicatorsTest.BASIC;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.runtime.NamedPorts;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.PendingWait.Kind;
import tutti.runtime.inspect.RankState;
import tutti.runtime.model.Status;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.process.RankProcess;
import tutti.runtime.request.GrequestFunctions;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests what is known of a rank that waits: rank 0 waits alone, until rank 1 has found out for what. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RankInspectionTest {
    private static final int RANKS = 3;
    private static final int TAG = 7;

    /** An operation in which rank 0 waits for the others. */
    private enum Wait {
        DUP(Kind.CREATION, RANKS) {
            @Override
            void run(final Communicator world) {
                world.dup().free();
            }
        },
        IDUP(Kind.CREATION, RANKS) {
            @Override
            void run(final Communicator world) {
                final Communicator.Pending pending = world.iDup();
                pending.request().await();
                pending.communicator().free();
            }
        },
        SPLIT(Kind.CREATION, RANKS) {
            @Override
            void run(final Communicator world) {
                Objects.requireNonNull(world.split(0, 0)).free();
            }
        },
        CREATE(Kind.CREATION, RANKS) {
            @Override
            void run(final Communicator world) {
                Objects.requireNonNull(world.create(world.group())).free();
            }
        },
        CREATE_GROUP(Kind.GROUP_CREATION, 2) {
            @Override
            void run(final Communicator world) {
                pair(world).free();
            }
        },
        LEADERS(Kind.LEADER, 2) {
            @Override
            void run(final Communicator world) {
                world.owner().self().createIntercomm(0, world, 1 - world.rank(), TAG).free();
            }
        },
        BARRIER(Kind.COLLECTIVE, RANKS) {
            @Override
            void run(final Communicator world) {
                world.engine().blocking().barrier();
            }
        },
        IBARRIER(Kind.COLLECTIVE, RANKS) {
            @Override
            void run(final Communicator world) {
                world.engine().nonblocking().barrier().await();
            }
        },
        PERSISTENT(Kind.PERSISTENT, RANKS) {
            @Override
            void run(final Communicator world) {
                final PersistentRequest prepared = world.engine().persistent().barrier();
                prepared.start();
                prepared.await();
                prepared.free();
            }
        },
        DISCONNECT(Kind.DISCONNECT, 1) {
            @Override
            void run(final Communicator world) {
                final Communicator pair = pair(world);
                final Request pending = pair.messages().irecv(new int[1], 1, Datatype.INT, 1, TAG);
                pair.disconnect();
                pending.await();
            }
        },
        BUFFER(Kind.BUFFER, 2) {
            @Override
            void run(final Communicator world) {
                if (world.rank() == 0) {
                    world.owner().attachedBuffer().attach(new byte[100_200]);
                    world.messages().send(SendMode.BUFFERED, new byte[100_000], 100_000, Datatype.BYTE, 1, TAG);
                    world.owner().attachedBuffer().detach();
                } else {
                    world.messages().recv(new byte[100_000], 100_000, Datatype.BYTE, 0, TAG);
                }
            }
        },
        GENERALIZED(Kind.GENERALIZED, 1) {
            @Override
            void run(final Communicator world) {
                final PersistentRequest request = world.owner().generalized(new GrequestFunctions() {
                    @Override
                    public void start() {
                        // it is complete when rank 1 has found the wait
                    }

                    @Override
                    public boolean push() {
                        return FOUND.getCount() == 0;
                    }

                    @Override
                    public void cancel() {
                        // not called
                    }

                    @Override
                    public Status complete(final boolean isCancelled) {
                        return Status.EMPTY;
                    }
                });
                request.start();
                request.await();
            }
        };

        private static CountDownLatch FOUND = new CountDownLatch(0);

        private final Kind kind;
        private final int takesPart;

        Wait(final Kind kind, final int takesPart) {
            this.kind = kind;
            this.takesPart = takesPart;
        }

        abstract void run(Communicator world);

        /** Creates a communicator of ranks 0 and 1, together with them. */
        static Communicator pair(final Communicator world) {
            return Objects.requireNonNull(world.createGroup(world.group().incl(new int[] {0, 1}), TAG));
        }
    }

    /** Returns the state of a rank that waits for something of a kind; waits until it does. */
    private static RankState await(final Rank rank, final Thread thread, final Kind kind) {
        while (true) {
            final Object blocker = LockSupport.getBlocker(thread);
            final RankState state = rank.inspect(new RankProcess.Activity(false, thread, thread.getStackTrace(), blocker, List.of()));
            if (!state.waits().isEmpty() && state.waits().getFirst().kind() == kind) {
                return state;
            }
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void shouldTellForWhatARankWaits(final Wait wait) throws Exception {
        final AtomicReferenceArray<Rank> ranks = new AtomicReferenceArray<>(RANKS);
        final AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(RANKS);
        final CountDownLatch here = new CountDownLatch(RANKS);
        Wait.FOUND = new CountDownLatch(1);
        Ranks.run(RANKS, BASIC, rank -> {
            ranks.set(rank.worldRank(), rank);
            threads.set(rank.worldRank(), Thread.currentThread());
            here.countDown();
            here.await();
            if (rank.worldRank() == 1) {
                final Communicator pair = wait == Wait.DISCONNECT ? Wait.pair(rank.world()) : null;
                try {
                    check(wait, await(ranks.get(0), threads.get(0), wait.kind));
                } finally {
                    Wait.FOUND.countDown();
                }
                if (pair != null) {
                    pair.messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 0, TAG);
                    pair.disconnect();
                }
            } else if (rank.worldRank() > 1) {
                Wait.FOUND.await();
            }
            if (rank.worldRank() < wait.takesPart) {
                wait.run(rank.world());
            }
        });
    }

    private static void check(final Wait wait, final RankState state) {
        assertEquals(RankState.Activity.WAITING, state.activity());
        final PendingWait found = state.waits().getFirst();
        switch (wait.kind) {
            case CREATION -> assertEquals(List.of(new CommCalls(0, 0, found.number() + 1, Map.of())), state.comms());
            case COLLECTIVE -> assertEquals(1, state.comms().getFirst().calls());
            case PERSISTENT -> assertEquals(List.of(Map.of(found.number(), 1L), 0), List.of(state.comms().getFirst().persistent(), found.tag()));
            case GROUP_CREATION -> assertEquals((long) TAG, found.number());
            case LEADER -> assertEquals(List.of(1, TAG), List.of(found.peer(), found.tag()));
            case DISCONNECT -> assertEquals(List.of(0, 1), found.members());
            default -> assertEquals("", found.communicator());
        }
    }

    @Test
    void shouldTellThatARankWaitsForAnotherJob() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            if (rank.worldRank() == 0) {
                final String port = rank.ports().open();
                rank.ports().publish("port", port);
                final Thread thread = Thread.currentThread();
                final Thread watcher = new Thread(() -> {
                    await(rank, thread, Kind.ACCEPT);
                    rank.ports().publish("waits", port);
                });
                watcher.start();
                rank.self().accept(port, 0, null).free();
                watcher.join();
            } else {
                NamedPorts.await(rank, "waits");
                rank.self().connect(rank.ports().lookup("port"), 0, Duration.ofSeconds(60)).free();
            }
        });
    }
}
