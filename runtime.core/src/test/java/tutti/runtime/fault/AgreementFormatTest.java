package tutti.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.fault.AgreementMessage.Decision;
import tutti.runtime.fault.AgreementMessage.Report;

/** Tests what is written of messages, and that bytes which are no message are rejected. */
class AgreementFormatTest {
    private static final int SIZE = 300;
    private static final Vote VOTE = new Vote(-2, RankSet.of(0, 130), RankSet.of(130));

    private static RankSet ranks(final SplittableRandom random, final int size) {
        RankSet set = RankSet.none();
        for (int i = random.nextInt(6); i > 0; i--) {
            final int from = random.nextInt(size);
            set = set.union(RankSet.range(from, from + 1 + random.nextInt(size - from)));
        }
        return random.nextBoolean() ? set : RankSet.all(size).minus(set);
    }

    private static Vote vote(final SplittableRandom random, final int size) {
        return new Vote(random.nextInt(), ranks(random, size), ranks(random, size));
    }

    private static AgreementMessage message(final SplittableRandom random, final int size) {
        final int leader = random.nextInt(size);
        return switch (random.nextInt(3)) {
            case 0 -> new Report(leader, ranks(random, size), vote(random, size), null);
            case 1 -> new Report(leader, ranks(random, size), vote(random, size), vote(random, size));
            default -> new Decision(leader, vote(random, size));
        };
    }

    private static String error(final byte[] bytes, final int size) {
        return assertThrows(IllegalArgumentException.class, () -> AgreementFormat.read(bytes, size)).getMessage();
    }

    @Test
    void shouldReadWhatItWrote() {
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 5_000; i++) {
            final int size = 1 + random.nextInt(random.nextBoolean() ? 4 : 40_000);
            final AgreementMessage message = message(random, size);
            assertEquals(message, AgreementFormat.read(AgreementFormat.write(message), size));
        }
    }

    @Test
    void shouldReadTheRestOfABuffer() {
        final byte[] bytes = AgreementFormat.write(new Decision(1, VOTE));
        final ByteBuffer buffer = ByteBuffer.allocate(bytes.length + 7).position(5).put(bytes).flip().position(5);
        assertEquals(new Decision(1, VOTE), AgreementFormat.read(buffer, SIZE));
        assertEquals(0, buffer.remaining());
    }

    @Test
    void shouldBeCompact() {
        final Vote vote = new Vote(1, RankSet.none(), RankSet.none());
        assertEquals(13, AgreementFormat.write(new Report(0, RankSet.all(1 << 20), vote, null)).length);
        assertEquals(8, AgreementFormat.write(new Decision(0, vote)).length);
        assertEquals("03" + "8101" + "fffffffe" + "02" + "0000" + "810100" + "01" + "820100",
            HexFormat.of().formatHex(AgreementFormat.write(new Decision(129, VOTE))));
    }

    @Test
    void shouldRejectEveryBeginningAndMore() {
        final SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 300; i++) {
            final byte[] bytes = AgreementFormat.write(message(random, SIZE));
            for (int length = 0; length < bytes.length; length++) {
                assertTrue(error(Arrays.copyOf(bytes, length), SIZE).contains("cut off"));
            }
            assertEquals("agreement message is followed by bytes: 1", error(Arrays.copyOf(bytes, bytes.length + 1), SIZE));
        }
    }

    @Test
    void shouldReadAMessageOrRejectAnyBytes() {
        final SplittableRandom random = new SplittableRandom(3);
        int read = 0;
        for (int i = 0; i < 50_000; i++) {
            final byte[] bytes = AgreementFormat.write(message(random, SIZE));
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            try {
                final AgreementMessage message = AgreementFormat.read(bytes, SIZE);
                assertEquals(message, AgreementFormat.read(AgreementFormat.write(message), SIZE));
                read++;
            } catch (final IllegalArgumentException e) {
                assertTrue(e.getMessage().matches(".*(agreement message|such|touch).*"), e::getMessage);
            }
        }
        assertTrue(read > 1_000 && read < 49_000, "read: " + read);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        00 | unknown kind of agreement message: 0
        04 | unknown kind of agreement message: 4
        ff | unknown kind of agreement message: -1
        03 05 | no such leader: leader=5, size=5
        03 ff ff ff ff 7f | number of an agreement message is too large: 34359738367
        03 80 80 80 80 80 00 | number of an agreement message is too large: 0
        01 00 01 05 00 | no such rank: rank=5, size=5
        01 00 01 00 05 | no such rank: rank=5, size=5
        01 00 01 ff ff ff ff 07 ff ff ff ff 07 | no such rank: rank=4294967294, size=5
        01 00 02 00 00 00 00 | ranges of ranks touch: rank=1
        01 00 ff ff ff ff 07 00 00 | agreement message is cut off: bytes=9
        """)
    void shouldSayWhatIsWrong(final String bytes, final String message) {
        assertEquals(message, error(HexFormat.of().parseHex(bytes.replace(" ", "")), 5));
    }
}
