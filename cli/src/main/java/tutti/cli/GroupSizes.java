package tutti.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import tutti.daemon.protocol.Protocol;

/**
 * The numbers of ranks of the two groups of an intercommunicator.
 *
 * @param first  number of ranks of the first group
 * @param second number of ranks of the second group
 */
record GroupSizes(int first, int second) {

    /** Converter of option values such as {@code 4+2}. */
    static final class Converter implements ITypeConverter<GroupSizes> {
        @Override
        public GroupSizes convert(final String value) {
            if (!value.matches("[1-9]\\d{0,5}\\+[1-9]\\d{0,5}")) {
                throw new TypeConversionException("not the sizes of two groups: " + value + ", expected for example 4+2");
            }
            final int plus = value.indexOf('+');
            final GroupSizes sizes = new GroupSizes(Integer.parseInt(value.substring(0, plus)), Integer.parseInt(value.substring(plus + 1)));
            if (sizes.ranks() > Protocol.MAX_RANKS) {
                throw new TypeConversionException("too many ranks: " + value + ", max=" + Protocol.MAX_RANKS);
            }
            return sizes;
        }
    }

    /** Returns the number of ranks of both groups. */
    int ranks() {
        return first + second;
    }

    @Override
    public String toString() {
        return first + "+" + second;
    }
}
