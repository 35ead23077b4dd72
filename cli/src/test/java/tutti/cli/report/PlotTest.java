package tutti.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
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

class PlotTest {
    private static final List<Plot.Point> POINTS = List.of(
        new Plot.Point("bcast, 2 ranks", "basic/binomial", 8, 1.5),
        new Plot.Point("bcast, 2 ranks", "basic/binomial", 64, 2.5),
        new Plot.Point("bcast, 2 ranks", "tree/knomial", 8, 0),
        new Plot.Point("barrier & more", "basic/dissemination", 0, 30));

    @TempDir
    private Path dir;

    @Test
    void shouldDrawALinePerNameInAChartPerTitle() throws Exception {
        final Path file = dir.resolve("plot.svg");
        Plot.write(file, POINTS);
        final Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        assertEquals("svg", svg.getDocumentElement().getTagName());
        assertEquals("840", svg.getDocumentElement().getAttribute("width"));
        final NodeList texts = svg.getElementsByTagName("text");
        assertTrue(IntStream.range(0, texts.getLength()).mapToObj(i -> texts.item(i).getTextContent()).toList()
            .containsAll(List.of("bcast, 2 ranks", "basic/binomial", "tree/knomial", "barrier & more", "basic/dissemination", "64", "100 us")));
        assertEquals(4, svg.getElementsByTagName("circle").getLength());
    }

    @Test
    void shouldDrawTheSameAsPng() throws Exception {
        final Path file = dir.resolve("plot.png");
        Plot.write(file, POINTS);
        final BufferedImage image = ImageIO.read(file.toFile());
        assertEquals(2 * 840, image.getWidth());
        final Set<Integer> colours = new HashSet<>();
        IntStream.range(0, image.getWidth() * image.getHeight())
            .forEach(i -> colours.add(image.getRGB(i % image.getWidth(), i / image.getWidth()) & 0xffffff));
        assertTrue(colours.containsAll(List.of(0xffffff, 0xdddddd, 0x1b6ca8, 0xc0392b)), colours::toString);
    }
}
