package tutti.daemon.console;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of a command of the console, which are those of the command line without {@code --connect}: the node is the one of the container.
 *
 * @param options  options that are given, with their values; none for one that has no value
 * @param operands other arguments, in their order
 */
record ConsoleArguments(Map<String, List<String>> options, List<String> operands) {
    /**
     * Arguments that a command takes.
     *
     * @param usage  the command with its arguments, for the messages
     * @param most   most operands
     * @param flags  options without a value
     * @param valued options with a value, which is the next argument or stands behind an equals sign
     */
    record Syntax(String usage, int most, Set<String> flags, Set<String> valued) {
        /** Creates the syntax of a command without options that have values. */
        Syntax(final String usage, final int most, final String... flags) {
            this(usage, most, Set.of(flags), Set.of());
        }

        /**
         * Reads arguments.
         *
         * @throws IllegalArgumentException when they are not those of the command; the message says what is wrong and how to type it
         */
        ConsoleArguments read(final String... args) {
            final Map<String, List<String>> options = new HashMap<>();
            final List<String> operands = new ArrayList<>();
            final Iterator<String> rest = List.of(args).iterator();
            while (rest.hasNext()) {
                final String arg = rest.next();
                final String name = arg.split("=", 2)[0];
                if (name.equals("--connect")) {
                    throw wrong("the console asks the node of its container: leave out --connect");
                } else if (flags.contains(arg)) {
                    options.put(arg, List.of());
                } else if (valued.contains(name)) {
                    options.computeIfAbsent(name, n -> new ArrayList<>())
                        .add(name.equals(arg) ? valueOf(name, rest) : arg.substring(name.length() + 1));
                } else if (arg.startsWith("-")) {
                    throw wrong("unknown option: " + arg);
                } else {
                    operands.add(arg);
                }
            }
            if (operands.size() > most) {
                throw wrong("too many arguments: " + String.join(" ", operands));
            }
            return new ConsoleArguments(options, operands);
        }

        private String valueOf(final String option, final Iterator<String> rest) {
            if (!rest.hasNext()) {
                // Cause: an option lacks its value.
                throw wrong("missing value: " + option);
            }
            return rest.next();
        }

        /** Returns the error of arguments that the command does not take. */
        IllegalArgumentException wrong(final String text) {
            return new IllegalArgumentException(text + "; usage: " + usage);
        }
    }

    boolean has(final String option) {
        return options.containsKey(option);
    }

    /** Returns the values of an option, in their order. */
    List<String> values(final String option) {
        return options.getOrDefault(option, List.of());
    }

    /** Returns the last value of an option; null when it is not given. */
    @Nullable
    String value(final String option) {
        final List<String> values = values(option);
        return values.isEmpty() ? null : values.getLast();
    }
}
