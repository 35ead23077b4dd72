package tutti.daemon.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

class TracePiecesTest {
    private static RankTrace trace(final int rank) {
        return new RankTrace(rank, "n" + rank, List.of(new TracedCall("scan", "basic 1.0.0", "linear", "WORLD", 8)),
            Collections.nCopies(100, new TraceEvent(0, Kind.SEND, 1, 2, 8, 4, 5L << 32, null, 100 + rank, 200, true)), rank);
    }

    private static byte[] bytes(final int rank) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        TraceCodec.write(trace(rank), out);
        return out.toByteArray();
    }

    /** Returns the traces of ranks 2, 0 and 1 as a node keeps them, pieces of one after those of another. */
    private static byte[] kept() throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int at = 0; at < bytes(0).length; at += 1000) {
            for (final int rank : List.of(2, 0, 1)) {
                all.writeBytes(TracePieces.kept(rank, Arrays.copyOfRange(bytes(rank), at, Math.min(at + 1000, bytes(rank).length))));
            }
        }
        return all.toByteArray();
    }

    @Test
    void shouldReadTheTracesOfAllRanksFromMixedPieces() throws Exception {
        final TracePieces pieces = new TracePieces();
        pieces.addKept(kept());
        assertEquals(List.of(trace(0), trace(1), trace(2)), pieces.read());
        final TracePieces direct = new TracePieces();
        direct.add(1, bytes(1));
        assertEquals(List.of(trace(1)), direct.read());
        assertEquals(List.of(), new TracePieces().read());
    }

    @Test
    void shouldReadTheFirstEventsOfEachRankWithinABoundAndCountTheOthers() throws Exception {
        final TracePieces pieces = new TracePieces(2_000);
        pieces.addKept(kept());
        for (final RankTrace t : pieces.read()) {
            assertTrue(t.events().size() > 20 && t.events().size() < 40, t.events()::toString);
            assertEquals(100 + t.rank(), t.events().size() + t.dropped());
        }
        assertEquals(3, pieces.read().size());
    }

    @ParameterizedTest
    @CsvSource({"00", "00000001000000", "0000000100000002ff", "ffffffff00000000", "00000001ffffffff", "000000010000000100000001"})
    void shouldRefuseBytesThatAreNoPieces(final String hex) {
        final IOException e = assertThrows(IOException.class, () -> new TracePieces().addKept(HexFormat.of().parseHex(hex)));
        assertTrue(e.getMessage().startsWith("not a trace: rank="), e.getMessage());
    }
}
