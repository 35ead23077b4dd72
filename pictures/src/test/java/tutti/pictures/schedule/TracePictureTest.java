package tutti.pictures.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.pictures.Drawing;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

/** Tests of pictures of traces. */
class TracePictureTest {
    private static final List<TracedCall> CALLS = List.of(new TracedCall("allreduce", "ring 1.0.0", "ring", "MPI_COMM_WORLD", 64),
        new TracedCall("recv", "mpi.Comm", "recv", "MPI_COMM_WORLD", 64), new TracedCall("waitAll", "mpi.Request", "waitAll", "", 0));

    private static TraceEvent event(final int call, final Kind kind, final int peer, final long tag, final long begin, final long end) {
        return new TraceEvent(call, kind, 0, peer, 64, call == 0 ? 2 : -2, tag, null, begin, end, true);
    }

    /** Returns traces in which rank 0 receives from 1000 on what rank 1 sends at 3000, waits for requests, and is in a collective until 10000. */
    private static List<RankTrace> small() {
        return List.of(
            new RankTrace(0, "a", CALLS, List.of(event(1, Kind.RECV, 1, 7, 1_000, 4_000), event(2, null, -1, 0, 5_000, 6_000),
                event(0, null, -1, 0, 6_000, 10_000)), 0),
            new RankTrace(1, "b", CALLS, List.of(event(1, Kind.SEND, 0, 7, 3_000, 3_500), event(1, Kind.SEND, 0, 8, 9_000, 9_500),
                event(0, null, -1, 0, 0, 1)), 3));
    }

    /** Returns traces in which each rank sends to each other one again and again. */
    private static List<RankTrace> dense(final int ranks, final int rounds) {
        return IntStream.range(0, ranks).mapToObj(r -> {
            final List<TraceEvent> events = new ArrayList<>();
            for (int i = 0; i < rounds; i++) {
                for (int d = 1; d < ranks; d++) {
                    events.add(event(0, Kind.SEND, (r + d) % ranks, (long) i * ranks + d, 1000L * i, 1000L * i + 10));
                    events.add(event(0, Kind.RECV, (r + ranks - d) % ranks, (long) i * ranks + d, 1000L * i, 1000L * i + 500));
                }
                events.add(event(0, null, -1, 0, 1000L * i, 1000L * i + 900));
            }
            return new RankTrace(r, "node-" + r / 4, CALLS, events, 0);
        }).toList();
    }

    private static List<String> texts(final Drawing d) {
        return d.shapes().stream().filter(Drawing.Text.class::isInstance).map(s -> ((Drawing.Text) s).text()).toList();
    }

    private static List<Drawing.Line> arrows(final Drawing d) {
        return d.shapes().stream().filter(Drawing.Line.class::isInstance).map(Drawing.Line.class::cast).filter(Drawing.Line::arrow).toList();
    }

    private static void assertLegible(final Drawing d) {
        final Drawing.Bounds view = new Drawing.Bounds(0, 0, d.width(), d.height());
        d.shapes().forEach(s -> assertTrue(view.contains(s.bounds()), s::toString));
        final List<Drawing.Shape> texts = d.shapes().stream().filter(Drawing.Text.class::isInstance).toList();
        for (final Drawing.Shape a : texts) {
            texts.forEach(b -> assertTrue(a == b || !a.bounds().overlaps(b.bounds()), () -> a + " overlaps " + b));
        }
    }

    @Test
    void shouldShowCallsMessagesAndWaitingTime() {
        final Drawing d = TracePicture.of("Pi.java", small());
        assertLegible(d);
        assertEquals("Trace of Pi.java, 2 ranks", d.title());
        // 3 of 10 us in recv, 1 in waitAll and 4 in allreduce; 2 until the message was sent, and 1 in waitAll
        assertTrue(texts(d).containsAll(List.of("in MPI 80 %, waiting 30 %", "in MPI 10 %, waiting 0 %", "node a", "rank 1", "allreduce", "recv",
            "waitAll", "10 µs")), () -> texts(d).toString());
        assertEquals(Set.of("rank 0 waits 2 µs", "rank 0 waits 1 µs"),
            d.shapes().stream().map(Drawing.Shape::tip).filter(t -> t.contains("waits")).collect(Collectors.toSet()));
    }

    @Test
    void shouldDrawNoArrowWithOneEnd() {
        final Drawing d = TracePicture.of("Pi.java", small());
        assertEquals(List.of("1 message from rank 1 to rank 0"), arrows(d).stream().map(Drawing.Line::tip).toList());
        assertTrue(texts(d).stream().anyMatch(t -> t.contains("3 later events were dropped")), () -> texts(d).toString());
    }

    @Test
    void shouldJoinBarsAndArrowsThatAreCloseAndLeaveOutArrowsThatAreTooMany() {
        final Drawing some = TracePicture.of("Dense", dense(4, 3_000));
        assertLegible(some);
        assertTrue(some.shapes().size() < 4_000, () -> "shapes: " + some.shapes().size());
        assertTrue(!arrows(some).isEmpty() && arrows(some).size() <= 80, () -> "arrows: " + arrows(some).size());
        final Drawing many = TracePicture.of("Dense", dense(20, 20));
        assertLegible(many);
        assertEquals(0, arrows(many).size());
        assertTrue(texts(many).stream().anyMatch(t -> t.contains("Messages are too many to be drawn.")), () -> texts(many).toString());
    }

    @Test
    void shouldDrawTheFirstRanksOfALargeJobAndNothingForNone() {
        final List<RankTrace> large = IntStream.range(0, 100).mapToObj(r -> new RankTrace(r, "n" + r, CALLS,
            List.of(event(0, null, -1, 0, r, 1_000_000 + r)), 0)).toList();
        final Drawing d = TracePicture.of("Large", large);
        assertLegible(d);
        assertTrue(texts(d).stream().anyMatch(t -> t.contains("The first 64 of 100 ranks.")), () -> texts(d).toString());
        assertLegible(TracePicture.of("Empty", List.of()));
    }

    @Test
    void shouldDrawTheSamePictureEachTime() throws Exception {
        assertEquals(TracePicture.of("Dense", dense(4, 30)).svg(), TracePicture.of("Dense", dense(4, 30)).svg());
        assertArrayEquals(TracePicture.of("Pi.java", small()).png(), TracePicture.of("Pi.java", small()).png());
    }
}
