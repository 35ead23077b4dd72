package tutti.cli;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import tutti.runtime.policy.LongRange;

/** Reader of option {@code --sizes}, which lists the sizes to measure. */
final class Sizes {
    private static final long MAX = 1 << 30;

    private Sizes() {}

    /** Returns the sizes in bytes; ends the command with a usage error if one is invalid. */
    static SortedSet<Long> parse(final List<String> sizes, final CommandSpec command) {
        final TreeSet<Long> bytes = new TreeSet<>();
        for (final String size : sizes) {
            final LongRange range;
            try {
                range = LongRange.of(size);
            } catch (final IllegalArgumentException e) {
                throw new ParameterException(command.commandLine(), "invalid size: --sizes " + size + ", expected for example 64K", e);
            }
            if (range.min() != range.max() || range.min() < Double.BYTES || range.min() > MAX || range.min() % Double.BYTES != 0) {
                throw new ParameterException(command.commandLine(), "size out of range: --sizes " + size + ", range=8..1G, a multiple of 8");
            }
            bytes.add(range.min());
        }
        return bytes;
    }
}
