package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.BindException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.rmi.server.ExportException;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.InstanceAlreadyExistsException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(RankStreamsExtension.class)
class SharedJvmErrorsTest {
    @TempDir
    private static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Locks", """
            class Locks {
                public static void main(String[] args) throws Exception {
                    if (args.length > 0) { Thread.currentThread().setName(args[0]); }
                    throw new Exception("wrapped", new java.nio.channels.OverlappingFileLockException());
                }
            }
            class LocksElsewhere {
                public static void main(String[] args) throws Exception {
                    Thread other = new Thread(() -> { throw new java.nio.channels.OverlappingFileLockException(); });
                    other.start();
                    other.join();
                }
            }
            """));
    }

    static Stream<Throwable> known() {
        return Stream.of(new OverlappingFileLockException(), new UnsatisfiedLinkError("Native Library x.so already loaded in another classloader"),
            new SQLException("No suitable driver found for jdbc:x"), new Error("factory already defined"), new InstanceAlreadyExistsException("x"),
            new ExportException("internal error: ObjID already in use"),
            new IllegalStateException(new Exception(new OverlappingFileLockException())));
    }

    static Stream<Throwable> others() {
        return Stream.of(new BindException("Address already in use"), new UnsatisfiedLinkError("no x in java.library.path"), new SQLException("down"),
            new Error("x"), new ExportException("Port already in use: 1099"), new Error((String) null));
    }

    @ParameterizedTest
    @MethodSource("known")
    void shouldKnowErrorsThatFollowFromASharedJvm(final Throwable thrown) {
        assertTrue(SharedJvmErrors.isKnown(thrown));
    }

    @ParameterizedTest
    @MethodSource("others")
    void shouldNotKnowOtherErrors(final Throwable thrown) {
        assertFalse(SharedJvmErrors.isKnown(thrown));
    }

    @Test
    void shouldEndWithCausesInACircle() {
        final Exception cause = new Exception("cause");
        final Exception thrown = new Exception("thrown", cause);
        cause.initCause(thrown);
        assertFalse(SharedJvmErrors.isKnown(thrown));
    }

    @Test
    void shouldNameTheRemedyWhereRanksShareTheJvm() {
        try (TestRank first = new TestRank(folder, "Locks"); TestRank second = new TestRank(folder, "Locks", "x");
             TestRank third = new TestRank(folder, "LocksElsewhere")) {
            first.run();
            assertTrue(second.run().text().endsWith("\n" + SharedJvmErrors.REMEDY));
            third.run();
            assertTrue(third.err().endsWith("\n" + SharedJvmErrors.REMEDY + "\n"), third.err());
        }
    }
}
