package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.collective.Collectives;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/**
 * Tests calls in which rank 0, the root, gives another length than the others: no path has an internal error or waits for ever, and the error class
 * says whether more is sent than received.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class UnequalLengthsTest {
    private static final int RANKS = 3;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int[][] LENGTHS = {{28, 256}, {256, 28}, {5_000, 9_000}, {60, 50_000}, {50_000, 60}, {200_000, 100_000}};
    private static final Set<ErrorClass> LENGTH_ERRORS = EnumSet.of(ErrorClass.COUNT, ErrorClass.TRUNCATE);

    /** Where the data goes, and so which ranks receive another length than they expect. */
    private enum Direction { FROM_ROOT, TO_ROOT, TO_ALL }

    /** The calls, with {@code length} bytes or bytes per block on the calling rank, and {@code roots} bytes of the root. */
    private enum Form {
        BCAST(Direction.FROM_ROOT, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.bcast(new byte[length], length, Datatype.BYTE, 0);
            }
        },
        SCATTER(Direction.FROM_ROOT, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.scatter(new byte[RANKS * roots], roots, Datatype.BYTE, new byte[length], length, Datatype.BYTE, 0);
            }
        },
        SCATTERV(Direction.FROM_ROOT, true) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.scatterv(new byte[RANKS * roots], all(roots), places(roots), Datatype.BYTE, new byte[length], length, Datatype.BYTE, 0);
            }
        },
        GATHER(Direction.TO_ROOT, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.gather(new byte[length], length, Datatype.BYTE, new byte[RANKS * roots], roots, Datatype.BYTE, 0);
            }
        },
        GATHERV(Direction.TO_ROOT, true) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.gatherv(new byte[length], length, Datatype.BYTE, new byte[RANKS * roots], all(roots), places(roots), Datatype.BYTE, 0);
            }
        },
        REDUCE(Direction.TO_ALL, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.reduce(new byte[length], new byte[length], length, Datatype.BYTE, Op.MAX, 0);
            }
        },
        ALLREDUCE(Direction.TO_ALL, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.allreduce(new byte[length], new byte[length], length, Datatype.BYTE, Op.MAX);
            }
        },
        SCAN(Direction.TO_ALL, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.scan(new byte[length], new byte[length], length, Datatype.BYTE, Op.MAX);
            }
        },
        ALLGATHER(Direction.TO_ALL, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.allgather(new byte[length], length, Datatype.BYTE, new byte[RANKS * length], length, Datatype.BYTE);
            }
        },
        ALLGATHERV(Direction.TO_ALL, true) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.allgatherv(new byte[length], length, Datatype.BYTE, new byte[RANKS * length], all(length), places(length), Datatype.BYTE);
            }
        },
        ALLTOALL(Direction.TO_ALL, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.alltoall(new byte[RANKS * length], length, Datatype.BYTE, new byte[RANKS * length], length, Datatype.BYTE);
            }
        },
        ALLTOALLV(Direction.TO_ALL, true) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.alltoallv(new byte[RANKS * length], all(length), places(length), Datatype.BYTE, new byte[RANKS * length], all(length),
                    places(length), Datatype.BYTE);
            }
        },
        REDUCE_SCATTER(Direction.TO_ALL, true) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.reduceScatter(new byte[RANKS * length], new byte[length], all(length), Datatype.BYTE, Op.MAX);
            }
        },
        REDUCE_SCATTER_BLOCK(Direction.TO_ALL, false) {
            @Override
            Request call(final Collectives<? extends Request> on, final int roots, final int length) {
                return on.reduceScatterBlock(new byte[RANKS * length], new byte[length], length, Datatype.BYTE, Op.MAX);
            }
        };

        private final Direction direction;
        /** Whether ranks may give lengths of their own, so that {@code check=fast} does not compare them. */
        private final boolean hasOwnLengths;

        Form(final Direction direction, final boolean hasOwnLengths) {
            this.direction = direction;
            this.hasOwnLengths = hasOwnLengths;
        }

        abstract Request call(Collectives<? extends Request> on, int roots, int length);

        private static long[] all(final int length) {
            final long[] lengths = new long[RANKS];
            Arrays.fill(lengths, length);
            return lengths;
        }

        private static long[] places(final int length) {
            final long[] places = new long[RANKS];
            Arrays.setAll(places, i -> (long) i * length);
            return places;
        }
    }

    private enum Mode {
        BLOCKING(c -> c.engine().blocking()), NONBLOCKING(c -> c.engine().nonblocking()), PERSISTENT(c -> c.engine().persistent());

        private final Function<Communicator, Collectives<? extends Request>> collectives;

        Mode(final Function<Communicator, Collectives<? extends Request>> collectives) {
            this.collectives = collectives;
        }
    }

    private enum Modules {
        BASIC, SMP, TREE, RING, RECEXCH, DISSEM, ALL;

        List<CollModule> modules() {
            final CollModule basic = new BasicModule();
            return switch (this) {
                case BASIC -> List.of(basic);
                case SMP -> List.of(basic, new SmpModule());
                case TREE -> List.of(basic, new TreeModule());
                case RING -> List.of(basic, new RingModule());
                case RECEXCH -> List.of(basic, new RecexchModule());
                case DISSEM -> List.of(basic, new DissemModule());
                case ALL -> List.of(basic, new SmpModule(), new TreeModule(), new RingModule(), new RecexchModule(), new DissemModule());
            };
        }
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Modules.values()).flatMap(m -> Stream.of(1, 2).flatMap(nodes -> Stream.of("off", "fast")
            .flatMap(check -> Stream.of(Mode.values()).map(mode -> Arguments.of(m, nodes, check, mode)))));
    }

    /** Makes a call, and returns its failure; null for none. */
    private static MpiFailure failure(final Communicator c, final Form form, final Mode mode, final int roots, final int length) {
        try {
            final Request request = form.call(mode.collectives.apply(c), roots, length);
            if (request instanceof final PersistentRequest p) {
                p.start();
            }
            assertTrue(request.awaitDone(LIMIT), () -> form + " of " + roots + " and " + length + " bytes waits on rank " + c.rank());
            request.await();
            return null;
        } catch (final MpiFailure e) {
            return e;
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("everywhere")
    void shouldBeErrorsOfTheStandardOnEveryPath(final Modules modules, final int nodes, final String check, final Mode mode) throws Exception {
        final List<MpiFailure> failures = Collections.synchronizedList(new ArrayList<>(Collections.nCopies(RANKS, null)));
        ModuleRuns.run(RANKS, nodes, Map.of("check", check), modules.modules(), rank -> {
            final Communicator c = rank.world().dup();
            for (final Form form : Form.values()) {
                for (final int[] lengths : LENGTHS) {
                    failures.set(c.rank(), failure(c, form, mode, lengths[0], c.rank() == 0 ? lengths[0] : lengths[1]));
                    rank.world().engine().blocking().barrier();
                    if (c.rank() == 0) {
                        checkFailures(failures, form, lengths, check.equals("fast") && !form.hasOwnLengths);
                    }
                    rank.world().engine().blocking().barrier();
                }
            }
        });
    }

    private static void checkFailures(final List<MpiFailure> failures, final Form form, final int[] lengths, final boolean areCompared) {
        final String text = form + " " + Arrays.toString(lengths) + ": " + failures;
        final Set<ErrorClass> own = EnumSet.noneOf(ErrorClass.class);
        for (final MpiFailure f : failures) {
            if (f != null && !f.isReportedByPeer()) {
                own.add(f.errorClass());
            }
        }
        assertTrue(!own.isEmpty() && LENGTH_ERRORS.containsAll(own), text);
        final boolean isLonger = form.direction == Direction.FROM_ROOT == lengths[0] > lengths[1];
        if (areCompared) {
            assertEquals(Set.of(ErrorClass.COUNT), own, text);
        } else if (form.direction == Direction.FROM_ROOT) {
            assertEquals(Set.of(isLonger ? ErrorClass.TRUNCATE : ErrorClass.COUNT), own, text);
        } else if (form.direction == Direction.TO_ROOT) {
            assertEquals(isLonger ? ErrorClass.TRUNCATE : ErrorClass.COUNT, failures.get(0).errorClass(), text);
        }
    }
}
