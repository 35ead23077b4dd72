package tutti.pictures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Tests of plots, and of the two formats of pictures. */
class PlotTest {
    private static final Plot.Labels LABELS = new Plot.Labels("Measurements <here>", "up to the slowest round", true);
    private static final List<Plot.Point> POINTS = List.of(
        new Plot.Point("bcast, 2 ranks", "basic/binomial", 8, 1.5),
        new Plot.Point("bcast, 2 ranks", "basic/binomial", 64, 2.5, 9, true),
        new Plot.Point("bcast, 2 ranks", "tree/knomial", 8, 0),
        new Plot.Point("barrier & more", "basic/dissemination", 0, 30));

    @TempDir
    private Path dir;

    private static List<String> texts(final Drawing d) {
        return d.shapes().stream().filter(Drawing.Text.class::isInstance).map(s -> ((Drawing.Text) s).text()).toList();
    }

    @Test
    void shouldWriteValidXmlWithTitlesUnitsAndNamesOfLines() throws Exception {
        final Path file = dir.resolve("plot.svg");
        Plot.write(file, LABELS, POINTS);
        final Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        assertEquals("svg", svg.getDocumentElement().getTagName());
        assertEquals("Measurements <here>", svg.getElementsByTagName("title").item(0).getTextContent());
        final NodeList texts = svg.getElementsByTagName("text");
        final List<String> all = IntStream.range(0, texts.getLength()).mapToObj(i -> texts.item(i).getTextContent()).toList();
        assertTrue(all.containsAll(List.of("Measurements <here>", "bcast, 2 ranks", "basic/binomial (1×)", "tree/knomial (1×)", "barrier & more",
            "basic/dissemination (1×)", "64", "bytes", "10 µs")), all::toString);
        assertTrue(
            all.stream()
                .anyMatch(t -> t.contains(
                    "Bars: up to the slowest round; points of one size are beside each other. Ring: the fastest at this size. White mark: noise.")),
            all::toString);
    }

    @Test
    void shouldCutNothingAndOverlapNothingHoweverLongNamesAre() {
        final List<Plot.Point> many = new ArrayList<>(POINTS);
        for (int a = 0; a < 14; a++) {
            for (long size = 8; size <= 1 << 24; size *= 2) {
                many.add(
                    new Plot.Point("reduce_scatter_block, 12 and 20 of 32 ranks on 16 nodes", "recexch/rabenseifner:k=" + a + ",segment=128K", size,
                        size * (1 + a) / 10.0, size * (2 + a), a == 3));
            }
        }
        final Drawing d = Plot.of(LABELS, many);
        final Drawing.Bounds view = new Drawing.Bounds(0, 0, d.width(), d.height());
        d.shapes().forEach(s -> assertTrue(view.contains(s.bounds()), s::toString));
        final List<Drawing.Shape> texts = d.shapes().stream().filter(Drawing.Text.class::isInstance).toList();
        for (final Drawing.Shape a : texts) {
            texts.forEach(b -> assertTrue(a == b || !a.bounds().overlaps(b.bounds()), () -> a + " overlaps " + b));
        }
        assertTrue(texts(d).contains("6 more"), () -> texts(d).toString());
        assertEquals(d, Plot.of(LABELS, many));
    }

    @Test
    void shouldColourAndNameEachLineWhereLinesDoNotCompete() {
        final List<Plot.Point> points = IntStream.range(0, 40).mapToObj(i -> new Plot.Point("6 ranks", "operation " + i % 20, 8 << i / 20, 1 + i))
            .toList();
        final Drawing d = Plot.of(new Plot.Labels("Medians", null, false), points);
        assertTrue(texts(d).containsAll(IntStream.range(0, 20).mapToObj(i -> "operation " + i).toList()), () -> texts(d).toString());
        final List<Drawing.Line> lines = d.shapes().stream().filter(Drawing.Line.class::isInstance).map(Drawing.Line.class::cast)
            .filter(l -> l.tip().startsWith("operation ")).toList();
        assertEquals(20, lines.size());
        assertEquals(20, lines.stream().map(l -> List.of(l.colour(), l.dash())).distinct().count());
        assertTrue(lines.stream().noneMatch(l -> l.colour() == Palette.OTHERS));
    }

    @Test
    void shouldDrawTheSpreadOfLinesBesideEachOther() {
        final List<Plot.Point> points =
            IntStream.range(0, 80).mapToObj(i -> new Plot.Point("6 ranks", "line " + i % 8, 8L << i / 8, 10 + i, 100, false))
                .toList();
        final Drawing d = Plot.of(LABELS, points);
        final List<Double> bars = d.shapes().stream().filter(Drawing.Line.class::isInstance).filter(s -> s.tip().contains(" to 100"))
            .filter(s -> !s.tip().startsWith("fastest")).map(s -> s.bounds().left()).sorted().toList();
        assertEquals(80, bars.size());
        for (int i = 1; i < bars.size(); i++) {
            final double apart = bars.get(i) - bars.get(i - 1);
            assertTrue(apart > (i % 8 == 0 ? 10 : 1), "bars " + (i - 1) + " and " + i + " are " + apart + " pixels apart");
        }
    }

    @Test
    void shouldMarkTheFastestOfEachSizeAndNoiseAndSayTimesInTips() {
        final Drawing d = Plot.of(LABELS, POINTS);
        assertEquals(List.of("fastest: tree/knomial, 8 bytes: 0.001 µs", "fastest: basic/binomial, 64 bytes: 2.50 to 9.00 µs, noise",
            "fastest: basic/dissemination, 0 bytes: 30.0 µs"),
            d.shapes().stream().map(Drawing.Shape::tip).filter(t -> t.startsWith("fastest")).toList());
        assertEquals(List.of("basic/binomial, 64 bytes: 2.50 to 9.00 µs, noise"), d.shapes().stream().filter(Drawing.Mark.class::isInstance)
            .map(Drawing.Mark.class::cast).filter(Drawing.Mark::hollow).map(Drawing.Mark::tip).toList());
    }

    @Test
    void shouldDrawTheSameAsPng() throws Exception {
        final Path file = dir.resolve("plot.png");
        Plot.write(file, LABELS, POINTS);
        final BufferedImage image = ImageIO.read(file.toFile());
        assertEquals(2 * Plot.of(LABELS, POINTS).width(), image.getWidth());
        final Set<Integer> colours = new HashSet<>();
        IntStream.range(0, image.getWidth() * image.getHeight())
            .forEach(i -> colours.add(image.getRGB(i % image.getWidth(), i / image.getWidth()) & 0xffffff));
        assertTrue(colours.containsAll(List.of(Palette.WHITE, Palette.GRID, Palette.line(0), Palette.line(1))), colours::toString);
    }

    /** The estimate must hold for the fonts of this system, whichever they are; PNG makes texts narrower where it does not. */
    @Test
    void shouldEstimateWidthsOfTextsThatFontsDoNotExceed() {
        for (final String text : List.of("recexch/rabenseifner:k=4 (1×)", "allreduce, 1048576 bytes of DOUBLE SUM, 64 ranks",
            "20 × await, 146..438 B",
            "in MPI 45 %, waiting 30 %", "node worker-17.example.org")) {
            final double width = new Font(Font.SANS_SERIF, Font.PLAIN, 1).deriveFont(10f)
                .getStringBounds(text, new FontRenderContext(null, true, true)).getWidth();
            final double room = TextWidth.of(text, 10, false);
            assertTrue(room >= 0.97 * width && room < 1.6 * width, text + ": " + room + " for " + width);
        }
    }
}
