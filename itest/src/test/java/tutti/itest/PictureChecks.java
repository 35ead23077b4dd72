package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import tutti.cli.report.Drawing;

/** Checks of the files of pictures that commands write: what every picture promises. Stateless. */
final class PictureChecks {
    /** White pixels around all shapes of a PNG, which has two pixels for one. */
    private static final int MARGIN = 30;
    private static final double TITLE_SIZE = 14;
    private static final Pattern MESSAGES = Pattern.compile("(\\d+) messages? from .*");

    private PictureChecks() {}

    /** Reads a picture, and checks that its title is whole, that every text is within it, and that no text covers another. */
    static Element legible(final Path svg) throws Exception {
        final Element root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile()).getDocumentElement();
        final Drawing.Bounds view = new Drawing.Bounds(0, 0, number(root, "width"), number(root, "height"));
        final List<Drawing.Text> texts = elements(root, "text").map(PictureChecks::text).toList();
        for (int i = 0; i < texts.size(); i++) {
            final Drawing.Text text = texts.get(i);
            assertTrue(view.contains(text.bounds()), () -> "cut: " + text);
            texts.subList(0, i).forEach(t -> assertTrue(!t.bounds().overlaps(text.bounds()), () -> text + " covers " + t));
        }
        assertEquals(child(root, "title"), texts.stream().filter(t -> t.size() == TITLE_SIZE).map(Drawing.Text::text)
            .collect(Collectors.joining(" ")));
        return root;
    }

    /** Returns the texts of a picture. */
    static List<String> texts(final Element svg) {
        return elements(svg, "text").map(Element::getTextContent).toList();
    }

    /** Returns the number of messages of each arrow of a picture. */
    static List<Integer> messages(final Element svg) {
        return elements(svg, "polyline").map(e -> MESSAGES.matcher(child(e, "title"))).filter(Matcher::matches).map(m -> Integer.valueOf(m.group(1)))
            .toList();
    }

    /** Checks that shapes of a PNG end within its margin. */
    static void assertWhole(final Path png) throws Exception {
        final BufferedImage image = ImageIO.read(png.toFile());
        final List<Drawing.Position> inked = new ArrayList<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                if ((image.getRGB(x, y) & 0xffffff) != 0xffffff) {
                    inked.add(new Drawing.Position(x, y));
                }
            }
        }
        assertTrue(inked.size() > 1000, () -> "pixels that are not white: " + inked.size());
        inked.forEach(p -> assertTrue(p.x() >= MARGIN && p.x() < image.getWidth() - MARGIN && p.y() >= MARGIN && p.y() < image.getHeight() - MARGIN,
            () -> "in the margin of " + image.getWidth() + " by " + image.getHeight() + ": " + p));
    }

    private static Stream<Element> elements(final Element parent, final String name) {
        final NodeList all = parent.getElementsByTagName(name);
        return IntStream.range(0, all.getLength()).mapToObj(i -> (Element) all.item(i));
    }

    private static String child(final Element parent, final String name) {
        return elements(parent, name).filter(e -> e.getParentNode() == parent).map(Element::getTextContent).findFirst().orElse("");
    }

    private static double number(final Element e, final String attribute) {
        return Double.parseDouble(e.getAttribute(attribute));
    }

    private static Drawing.Text text(final Element e) {
        return new Drawing.Text(new Drawing.Position(number(e, "x"), number(e, "y")),
            Drawing.Alignment.valueOf(e.getAttribute("text-anchor").toUpperCase(Locale.ROOT)), number(e, "font-size"),
            e.getAttribute("font-weight").equals("bold"), 0, e.getTextContent());
    }
}
