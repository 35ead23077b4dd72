package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Checks of the files of pictures that commands write: what every picture promises. Stateless. */
final class PictureChecks {
    /** White pixels around all shapes of a PNG, which has two pixels for one. */
    private static final int MARGIN = 30;
    private static final double TITLE_SIZE = 14;
    private static final FontRenderContext FONTS = new FontRenderContext(null, true, true);
    private static final Pattern MESSAGES = Pattern.compile("(\\d+) messages? from .*");

    private PictureChecks() {}

    /** Reads a picture, and checks that its title is whole, that every text is within it, and that no text covers another. */
    static Element legible(final Path svg) throws Exception {
        final Element root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile()).getDocumentElement();
        final Rectangle2D view = new Rectangle2D.Double(0, 0, number(root, "width"), number(root, "height"));
        final List<Element> texts = elements(root, "text").toList();
        final List<Rectangle2D> bounds = texts.stream().map(PictureChecks::bounds).toList();
        for (int i = 0; i < texts.size(); i++) {
            final int number = i;
            assertTrue(view.contains(bounds.get(i)), () -> "cut: " + texts.get(number).getTextContent() + " at " + bounds.get(number));
            for (int j = 0; j < i; j++) {
                final int other = j;
                assertTrue(!bounds.get(i).intersects(bounds.get(j)), () -> texts.get(number).getTextContent() + " at " + bounds.get(number)
                    + " covers " + texts.get(other).getTextContent() + " at " + bounds.get(other));
            }
        }
        assertEquals(child(root, "title"), texts.stream().filter(t -> number(t, "font-size") == TITLE_SIZE).map(Element::getTextContent)
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
        int inked = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                if ((image.getRGB(x, y) & 0xffffff) != 0xffffff) {
                    inked++;
                    assertTrue(x >= MARGIN && x < image.getWidth() - MARGIN && y >= MARGIN && y < image.getHeight() - MARGIN,
                        "in the margin of " + image.getWidth() + " by " + image.getHeight() + ": " + x + ", " + y);
                }
            }
        }
        assertTrue(inked > 1000, "pixels that are not white: " + inked);
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

    /** Returns the rectangle that a text takes with the fonts of this system. */
    private static Rectangle2D bounds(final Element text) {
        final double size = number(text, "font-size");
        final double width = new Font(Font.SANS_SERIF, text.getAttribute("font-weight").equals("bold") ? Font.BOLD : Font.PLAIN, 1)
            .deriveFont((float) size).getStringBounds(text.getTextContent(), FONTS).getWidth();
        final double left = number(text, "x") - switch (text.getAttribute("text-anchor")) {
            case "start" -> 0;
            case "middle" -> width / 2;
            default -> width;
        };
        return new Rectangle2D.Double(left, number(text, "y") - 0.8 * size, width, 1.05 * size);
    }
}
