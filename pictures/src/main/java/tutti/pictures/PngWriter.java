package tutti.pictures;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.RoundRectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * Writer of pictures as PNG, with two pixels for one, so that text is sharp; with one where the image would be larger than {@value #MAX_PIXELS}
 * pixels. Needs no display, but the fonts of the system. A text that is wider in these than its estimate is made narrower. For one picture.
 */
final class PngWriter {
    private static final long MAX_PIXELS = 60_000_000;

    static {
        System.setProperty("java.awt.headless", "true");
    }

    private final Graphics2D graphics;

    private PngWriter(final Graphics2D graphics) {
        this.graphics = graphics;
    }

    static byte[] write(final Drawing drawing) throws IOException {
        final int scale = 4L * drawing.width() * drawing.height() <= MAX_PIXELS ? 2 : 1;
        final BufferedImage image = new BufferedImage(scale * drawing.width(), scale * drawing.height(), BufferedImage.TYPE_INT_RGB);
        final Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
        graphics.scale(scale, scale);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, drawing.width(), drawing.height());
        final PngWriter writer = new PngWriter(graphics);
        drawing.shapes().forEach(writer::shape);
        graphics.dispose();
        final ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(image, "png", png);
        return png.toByteArray();
    }

    private void shape(final Drawing.Shape shape) {
        switch (shape) {
            case Drawing.Box b -> filled(new RoundRectangle2D.Double(b.x(), b.y(), b.width(), b.height(), 2 * b.radius(), 2 * b.radius()), b.fill(),
                b.stroke());
            case Drawing.Line l -> line(l);
            case Drawing.Mark m -> filled(m.form() == Drawing.Form.CIRCLE
                ? new Ellipse2D.Double(m.centre().x() - m.radius(), m.centre().y() - m.radius(), 2 * m.radius(), 2 * m.radius())
                : path(m.corners(), true), m.hollow() ? Palette.WHITE : m.colour(), m.colour());
            case Drawing.Text t -> text(t);
        }
    }

    private void filled(final Shape shape, final int fill, final int stroke) {
        graphics.setColor(new Color(fill));
        graphics.fill(shape);
        graphics.setStroke(new BasicStroke(1));
        graphics.setColor(new Color(stroke));
        graphics.draw(shape);
    }

    private static Path2D path(final List<Drawing.Position> corners, final boolean closed) {
        final Path2D path = new Path2D.Double();
        path.moveTo(corners.getFirst().x(), corners.getFirst().y());
        corners.forEach(c -> path.lineTo(c.x(), c.y()));
        if (closed) {
            path.closePath();
        }
        return path;
    }

    private void line(final Drawing.Line l) {
        graphics.setColor(new Color(l.colour()));
        final float[] dash = switch (l.dash()) {
            case SOLID -> null;
            case DASHED -> new float[] {6, 3};
            case DOTTED -> new float[] {2, 3};
        };
        graphics.setStroke(new BasicStroke((float) l.width(), BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dash, 0));
        graphics.draw(path(l.corners(), false));
        if (l.arrow()) {
            graphics.fill(path(l.head(), true));
        }
    }

    private void text(final Drawing.Text t) {
        graphics.setColor(new Color(t.colour()));
        final Font font = new Font(Font.SANS_SERIF, t.bold() ? Font.BOLD : Font.PLAIN, 1).deriveFont((float) t.size());
        final double width = font.getStringBounds(t.text(), graphics.getFontRenderContext()).getWidth();
        final double room = TextWidth.of(t.text(), t.size(), t.bold());
        final double narrow = width > room && width > 0 ? room / width : 1;
        graphics.setFont(narrow < 1 ? font.deriveFont(AffineTransform.getScaleInstance(narrow, 1)) : font);
        final double left = switch (t.alignment()) {
            case START -> 0;
            case MIDDLE -> width * narrow / 2;
            case END -> width * narrow;
        };
        graphics.drawString(t.text(), (float) (t.at().x() - left), (float) t.at().y());
    }
}
