package tutti.pictures.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.pictures.Drawing;
import tutti.pictures.Palette;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankPlan;

/** Tests of the geometry of pictures of plans: nothing is cut, nothing overlaps, arrows have both ends. */
class PlanPictureTest {
    private static final BufferRange DATA = Buffer.RECV.at(0, 64);

    private static RankPlan plan(final int rank, final int size, final int nodes, final List<PlannedTask> tasks) {
        return new RankPlan("alltoall", "basic 0.1.0", "linear", "priority 10", size, 64, 4, "", -1, rank, "n" + rank * nodes / size, 0,
            List.of(), tasks.size(), tasks);
    }

    private static PlannedTask task(final int id, final Kind kind, final int peer, final int number, final Integer... after) {
        return new PlannedTask(id, kind, kind == Kind.RECV ? null : DATA, kind == Kind.SEND ? null : DATA, 64, peer, number, 4, 0, null,
            List.of(after));
    }

    /** Returns plans in which each rank sends to each other one at once. */
    private static List<RankPlan> all(final int ranks, final int nodes) {
        return IntStream.range(0, ranks).mapToObj(r -> plan(r, ranks, nodes, IntStream.range(1, ranks).boxed().flatMap(d -> Stream.of(
            task(2 * d - 2, Kind.SEND, (r + d) % ranks, 0), task(2 * d - 1, Kind.RECV, (r + ranks - d) % ranks, 0))).toList())).toList();
    }

    /** Returns plans of a ring with {@code ranks - 1} rounds. */
    private static List<RankPlan> ring(final int ranks, final int nodes) {
        return IntStream.range(0, ranks).mapToObj(r -> {
            final List<PlannedTask> tasks = new ArrayList<>();
            for (int s = 0; s < ranks - 1; s++) {
                tasks.add(task(2 * s, Kind.SEND, (r + 1) % ranks, s, s == 0 ? new Integer[0] : new Integer[] {2 * s - 1}));
                tasks.add(task(2 * s + 1, Kind.RECV, (r + ranks - 1) % ranks, s));
            }
            return plan(r, ranks, nodes, tasks);
        }).toList();
    }

    /** Returns plans of a binomial tree from rank 0. */
    private static List<RankPlan> tree(final int ranks, final int nodes) {
        return IntStream.range(0, ranks).mapToObj(r -> {
            final List<PlannedTask> tasks = new ArrayList<>();
            if (r > 0) {
                tasks.add(task(0, Kind.RECV, r - Integer.highestOneBit(r), 0));
            }
            for (int d = r == 0 ? 1 : 2 * Integer.highestOneBit(r); r + d < ranks; d *= 2) {
                tasks.add(task(tasks.size(), Kind.SEND, r + d, 0, tasks.isEmpty() ? new Integer[0] : new Integer[] {tasks.size() - 1}));
            }
            return plan(r, ranks, nodes, tasks);
        }).toList();
    }

    /** Returns plans in which all ranks send to rank 0, which reduces, and sends the result to rank 1. */
    private static List<RankPlan> star(final int ranks, final int nodes) {
        return IntStream.range(0, ranks).mapToObj(r -> {
            final List<PlannedTask> tasks = new ArrayList<>();
            if (r > 0) {
                tasks.add(task(0, Kind.SEND, 0, 0));
            }
            for (int peer = 1; r == 0 && peer < ranks; peer++) {
                tasks.add(task(2 * peer - 2, Kind.RECV, peer, 0));
                tasks.add(task(2 * peer - 1, Kind.REDUCE, -1, 0, peer == 1 ? new Integer[] {0} : new Integer[] {2 * peer - 2, 2 * peer - 3}));
            }
            if (r < 2) {
                tasks.add(task(tasks.size(), r == 0 ? Kind.SEND : Kind.RECV, 1 - r, 1, tasks.size() - 1));
            }
            return plan(r, ranks, nodes, tasks);
        }).toList();
    }

    private static <S extends Drawing.Shape> List<S> shapes(final Drawing d, final Class<S> type) {
        return d.shapes().stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Returns the boxes of tasks. */
    private static List<Drawing.Box> boxes(final Drawing d) {
        return shapes(d, Drawing.Box.class).stream().filter(b -> b.tip().startsWith("rank ")).toList();
    }

    private static List<Drawing.Line> arrows(final Drawing d) {
        return shapes(d, Drawing.Line.class).stream().filter(Drawing.Line::arrow).toList();
    }

    private static List<String> texts(final Drawing d) {
        return shapes(d, Drawing.Text.class).stream().map(Drawing.Text::text).toList();
    }

    private static void assertLegible(final Drawing d) {
        final Drawing.Bounds view = new Drawing.Bounds(0, 0, d.width(), d.height());
        d.shapes().forEach(s -> assertTrue(view.contains(s.bounds()), s::toString));
        final List<Drawing.Text> texts = shapes(d, Drawing.Text.class);
        for (final Drawing.Text a : texts) {
            texts.forEach(b -> assertTrue(a == b || !a.bounds().overlaps(b.bounds()), () -> a + " overlaps " + b));
        }
        final List<Drawing.Box> boxes = boxes(d);
        final List<Drawing.Bounds> bands = shapes(d, Drawing.Box.class).stream().filter(b -> b.width() > 500).map(Drawing.Box::bounds).toList();
        for (final Drawing.Box a : boxes) {
            assertTrue(bands.stream().anyMatch(b -> b.contains(a.bounds())), () -> "leaves the band of its node: " + a);
            texts.forEach(t -> assertTrue(a.bounds().contains(t.bounds()) || !a.bounds().overlaps(t.bounds()), () -> t + " on the edge of " + a));
            boxes.forEach(b -> assertTrue(a == b || !a.bounds().overlaps(b.bounds()), () -> a + " overlaps " + b));
            assertTrue(texts.stream().anyMatch(t -> a.bounds().contains(t.bounds())), () -> "its text leaves the box: " + a);
        }
        for (final Drawing.Line arrow : arrows(d)) {
            final Drawing.Position from = arrow.corners().getFirst();
            final Drawing.Position to = arrow.corners().getLast();
            assertTrue(boxes.stream().anyMatch(b -> b.x() + b.width() == from.x() && b.y() <= from.y() && from.y() <= b.y() + b.height()),
                () -> "begins at no box: " + arrow);
            assertTrue(boxes.stream().anyMatch(b -> b.x() == to.x() && b.y() <= to.y() && to.y() <= b.y() + b.height()),
                () -> "ends at no box: " + arrow);
            assertTrue(from.x() < to.x(), () -> "goes back in time: " + arrow);
        }
    }

    @ParameterizedTest
    @CsvSource({"2,1", "3,2", "4,2", "5,4", "7,3", "16,1", "16,4", "24,3", "33,4", "64,4", "64,64"})
    void shouldCutNothingAndOverlapNothingAndFitASlide(final int ranks, final int nodes) {
        for (final List<RankPlan> plans : List.of(all(ranks, nodes), ring(ranks, nodes), tree(ranks, nodes), star(ranks, nodes))) {
            final Drawing d = PlanPicture.of(plans);
            assertLegible(d);
            assertTrue(d.width() <= 2000 && d.height() <= 1600, () -> d.width() + " by " + d.height());
            assertTrue(shapes(d, Drawing.Text.class).stream().allMatch(t -> t.size() >= 10), () -> texts(d).toString());
        }
        assertLegible(PlanPicture.ofRanks(tree(ranks, nodes)));
    }

    @ParameterizedTest
    @CsvSource({"2,1", "5,4", "16,4", "33,4", "64,4"})
    void shouldDrawEachMessageAsAnArrowOrPartOfOne(final int ranks, final int nodes) {
        assertEquals(ranks * (ranks - 1), messages(PlanPicture.of(all(ranks, nodes))));
        assertEquals(ranks - 1, messages(PlanPicture.of(tree(ranks, nodes))));
        assertEquals(ranks, messages(PlanPicture.of(star(ranks, nodes))));
        assertEquals(ranks, arrows(PlanPicture.ofRanks(star(ranks, nodes))).size());
    }

    @ParameterizedTest
    @CsvSource({"16,4", "33,4", "64,4"})
    void shouldWriteTheNumberOfMessagesOnEachArrowOfLanesThatAllSendToEachOther(final int ranks, final int nodes) {
        final Drawing d = PlanPicture.of(all(ranks, nodes));
        assertEquals(nodes * nodes, arrows(d).size());
        assertEquals(arrows(d).stream().map(a -> "×" + a.tip().substring(0, a.tip().indexOf(' '))).sorted().toList(),
            texts(d).stream().filter(t -> t.startsWith("×")).sorted().toList());
    }

    private static int messages(final Drawing d) {
        return arrows(d).stream().mapToInt(a -> Integer.parseInt(a.tip().substring(0, a.tip().indexOf(' ')))).sum();
    }

    @Test
    void shouldStackTheTasksOfARoundInTheirOrderAndCountThem() {
        final Drawing d = PlanPicture.of(star(4, 2));
        final List<String> stacked = List.of("recv from 1,2,3, 64 B", "3 × reduce, 64 B", "send to 1, 64 B");
        final List<Drawing.Text> texts = shapes(d, Drawing.Text.class).stream().filter(t -> stacked.contains(t.text()))
            .sorted(Comparator.comparingDouble(t -> t.at().y())).toList();
        assertEquals(stacked, texts.stream().map(Drawing.Text::text).toList());
        assertEquals(1, texts.stream().map(t -> t.at().x()).distinct().count());
        assertEquals(List.of("round", "0", "1", "2"), texts(d).stream().filter(t -> t.matches("round|\\d")).toList());
    }

    @Test
    void shouldDrawALanePerRankWithABoxPerTaskAndAnArrowPerMessageWhereThereIsSpace() {
        final Drawing d = PlanPicture.of(tree(7, 2));
        assertEquals("alltoall, 64 bytes, blocks of 4, 7 ranks: basic 0.1.0, algorithm linear (priority 10)", d.title());
        assertEquals(6, arrows(d).size());
        assertTrue(texts(d).containsAll(List.of("node n0", "node n1", "rank 6", "recv from 2, 64 B", "send to 1,2,4, 64 B")),
            () -> texts(d).toString());
    }

    @Test
    void shouldDrawLanesOfGroupsAndNumbersOfMessagesWhereArrowsWouldCoverThePicture() {
        final Drawing d = PlanPicture.of(all(16, 2));
        assertEquals(4, arrows(d).size());
        assertEquals(List.of("56 messages from ranks 0-7 to ranks 0-7", "64 messages from ranks 0-7 to ranks 8-15",
            "56 messages from ranks 8-15 to ranks 8-15", "64 messages from ranks 8-15 to ranks 0-7"),
            arrows(d).stream().map(Drawing.Line::tip).sorted((a, b) -> a.substring(18).compareTo(b.substring(18)))
                .sorted((a, b) -> Boolean.compare(a.contains("from ranks 8"), b.contains("from ranks 8")))
                .sorted((a, b) -> a.contains("from ranks 8") && b.contains("from ranks 8") ? a.compareTo(b) : 0).toList());
        assertTrue(texts(d).containsAll(List.of("ranks 0-7", "ranks 8-15", "15 × send, 64 B", "15 × recv, 64 B", "×56", "×64")),
            () -> texts(d).toString());
        assertEquals(240, arrows(PlanPicture.ofRanks(all(16, 2))).size());
    }

    @Test
    void shouldLeaveOutRoundsThatRepeat() {
        final Drawing d = PlanPicture.of(ring(64, 1));
        // 62 rounds receive and send
        assertTrue(texts(d).contains("… 59 more rounds"), () -> texts(d).toString());
        assertEquals(8, boxes(d).size());
        assertEquals(3, arrows(d).size());
        assertEquals(new PlanColumns(List.of(0, 1, 2, 3, -1, 14, 15), List.of(10)),
            PlanColumns.of(IntStream.range(0, 16).mapToObj(i -> i % 2 == 0 ? "send" : "recv").toList()));
        assertEquals(List.of(0, 1, 2), PlanColumns.of(List.of("a", "a", "a")).rounds());
    }

    @Test
    void shouldNameTheRanksOfALane() {
        assertEquals("rank 3", new PlanLane("a", List.of(3)).label());
        assertEquals("ranks 0-2, 5", new PlanLane("a", List.of(0, 1, 2, 5)).label());
        assertEquals("20 ranks", new PlanLane("a", IntStream.range(0, 20).map(i -> 2 * i).boxed().toList()).label());
    }

    @Test
    void shouldDrawTheSamePictureEachTime() throws Exception {
        assertEquals(PlanPicture.of(all(16, 2)).svg(), PlanPicture.of(all(16, 2)).svg());
        assertArrayEquals(PlanPicture.of(all(7, 2)).png(), PlanPicture.of(all(7, 2)).png());
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellKindsOfTasksAndLinesApartForColourBlindPeople(final Vision vision) {
        final List<Integer> fills = List.copyOf(PlanPicture.FILLS.values());
        assertEquals(Kind.values().length - 1, fills.size());
        final List<Integer> lines = IntStream.range(0, 7).map(Palette::line).boxed().toList();
        for (final List<Integer> colours : List.of(fills, lines)) {
            for (int i = 0; i < colours.size(); i++) {
                for (int j = 0; j < i; j++) {
                    final double distance = vision.distance(colours.get(i), colours.get(j));
                    assertTrue(distance >= 28, String.format("%06x and %06x: %.1f", colours.get(i), colours.get(j), distance));
                }
            }
        }
    }

    /** Kinds of colour vision, by the matrices of Machado, Oliveira and Fernandes (2009) for linear RGB. */
    private enum Vision {
        NORMAL(1, 0, 0, 0, 1, 0, 0, 0, 1),
        PROTANOPIA(0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
        DEUTERANOPIA(0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881),
        TRITANOPIA(1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900);

        private final double[] matrix;

        Vision(final double... matrix) {
            this.matrix = matrix;
        }

        private double[] seen(final int colour) {
            final double[] linear = IntStream.of(16, 8, 0).mapToDouble(s -> Math.pow((colour >> s & 255) / 255.0, 2.2)).toArray();
            return IntStream.range(0, 3).mapToDouble(row -> 255 * Math.pow(Math.clamp(IntStream.range(0, 3)
                .mapToDouble(c -> matrix[3 * row + c] * linear[c]).sum(), 0.0, 1.0), 1 / 2.2)).toArray();
        }

        double distance(final int a, final int b) {
            return Math.sqrt(IntStream.range(0, 3).mapToDouble(i -> Math.pow(seen(a)[i] - seen(b)[i], 2)).sum());
        }
    }
}
