package tutti.cli.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.imageio.ImageIO;

/** Canvas whose picture is PNG, with {@value #SCALE} pixels for one, so that text is sharp. Needs no display, but the fonts of the system. */
final class PngCanvas implements Canvas {
    private static final int SCALE = 2;

    static {
        System.setProperty("java.awt.headless", "true");
    }

    private final BufferedImage image;
    private final Graphics2D graphics;

    PngCanvas(final int width, final int height) {
        image = new BufferedImage(SCALE * width, SCALE * height, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.scale(SCALE, SCALE);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
    }

    @Override
    public void line(final List<Position> corners, final int colour, final double width) {
        final Path2D path = new Path2D.Double();
        path.moveTo(corners.getFirst().x(), corners.getFirst().y());
        corners.forEach(c -> path.lineTo(c.x(), c.y()));
        graphics.setColor(new Color(colour));
        graphics.setStroke(new BasicStroke((float) width));
        graphics.draw(path);
    }

    @Override
    public void dot(final Position centre, final double radius, final int colour) {
        graphics.setColor(new Color(colour));
        graphics.fill(new Ellipse2D.Double(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius));
    }

    @Override
    public void text(final Position at, final Alignment alignment, final double size, final boolean bold, final int colour, final String text) {
        graphics.setColor(new Color(colour));
        graphics.setFont(new Font(Font.SANS_SERIF, bold ? Font.BOLD : Font.PLAIN, 1).deriveFont((float) size));
        final double width = graphics.getFontMetrics().stringWidth(text);
        final double left = switch (alignment) {
            case START -> 0;
            case MIDDLE -> width / 2;
            case END -> width;
        };
        graphics.drawString(text, (float) (at.x() - left), (float) at.y());
    }

    @Override
    public byte[] bytes() {
        final ByteArrayOutputStream png = new ByteArrayOutputStream();
        try {
            ImageIO.write(image, "png", png);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return png.toByteArray();
    }
}
