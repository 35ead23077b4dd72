package tutti.daemon.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;

/** Tests of output as a stream of bytes, whole or damaged. */
class OutputPieceTest {
    private static byte[] noise(final int bytes) {
        final byte[] all = new byte[bytes];
        new Random(bytes).nextBytes(all);
        return all;
    }

    private static void assertSame(final OutputPiece expected, final OutputPiece actual) {
        assertEquals(expected.kind(), actual.kind());
        assertEquals(expected.rank(), actual.rank());
        assertArrayEquals(expected.bytes(), actual.bytes());
    }

    @ParameterizedTest
    @EnumSource(OutputPiece.Kind.class)
    void shouldReadPiecesOfAllLengthsAsTheyWereWritten(final OutputPiece.Kind kind) throws Exception {
        final List<OutputPiece> pieces = List.of(new OutputPiece(kind, 0, noise(1)), new OutputPiece(kind, Protocol.MAX_RANKS, new byte[0]),
            new OutputPiece(kind, Integer.MAX_VALUE, noise(1 << 20)), new OutputPiece(kind, 3, noise(Protocol.CHUNK + 1)));
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final OutputPiece piece : pieces) {
            all.write(piece.framed());
        }
        final InputStream in = new ByteArrayInputStream(all.toByteArray());
        for (final OutputPiece piece : pieces) {
            assertSame(piece, OutputPiece.read(in));
        }
        assertNull(OutputPiece.read(in));
        assertNull(OutputPiece.read(in));
    }

    @Test
    void shouldTellStandardOutputFromErrors() {
        assertEquals(OutputPiece.Kind.OUT, OutputPiece.printed(1, false, new byte[1]).kind());
        assertEquals(OutputPiece.Kind.ERROR, OutputPiece.printed(1, true, new byte[1]).kind());
    }

    @Test
    void shouldCarryARecord() throws Exception {
        final OutputPiece piece = OutputPiece.of(OutputPiece.Kind.RANK_ENDED, 5, new Reply(3, "two\nlines"));
        final OutputPiece read = OutputPiece.read(new ByteArrayInputStream(piece.framed()));
        assertEquals(5, read.rank());
        assertEquals(new Reply(3, "two\nlines"), read.value(Reply.class));
        assertThrows(IOException.class, () -> OutputPiece.printed(0, false, new byte[] {'{'}).value(Reply.class));
    }

    @Test
    void shouldRefuseAStreamThatEndsWithinAPiece() {
        final byte[] piece = OutputPiece.printed(2, false, new byte[] {1, 2, 3}).framed();
        for (int length = 1; length < piece.length; length++) {
            final InputStream in = new ByteArrayInputStream(Arrays.copyOf(piece, length));
            final int missing = length < 9 ? 9 - length : piece.length - length;
            assertEquals("output of a job ends within a piece: missing=" + missing + " bytes",
                assertThrows(StreamCorruptedException.class, () -> OutputPiece.read(in)).getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({"7, 0, 1", "255, 0, 1", "0, -1, 1", "0, -2147483648, 1", "1, 0, -1", "1, 0, 1048577", "2, 0, 2147483647"})
    void shouldRefuseWhatIsNoPieceBeforeItsBytesAreRead(final int kind, final int rank, final int length) {
        final byte[] header = ByteBuffer.allocate(9).put((byte) kind).putInt(rank).putInt(length).array();
        assertEquals("not output of a job: kind=" + kind + ", rank=" + rank + ", length=" + length,
            assertThrows(IOException.class, () -> OutputPiece.read(new ByteArrayInputStream(header))).getMessage());
    }
}
