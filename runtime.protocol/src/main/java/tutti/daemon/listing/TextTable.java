package tutti.daemon.listing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Text table whose columns are as wide as their widest cell. */
final class TextTable {
    private final List<String[]> rows = new ArrayList<>();

    TextTable(final String... heads) {
        rows.add(heads);
    }

    void row(final Object... cells) {
        rows.add(Stream.of(cells).map(String::valueOf).toArray(String[]::new));
    }

    @Override
    public String toString() {
        final int columns = rows.getFirst().length;
        final int[] widths = new int[columns];
        for (final String[] row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        final StringBuilder text = new StringBuilder();
        for (final String[] row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
