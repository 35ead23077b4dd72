package tutti.daemon.console;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Arguments of a command of the console, which are those of the command line without {@code --connect}: the node is the one of the container.
 *
 * @param options  options that are given
 * @param operands other arguments, in their order
 */
record ConsoleArguments(Set<String> options, List<String> operands) {
    /**
     * Reads arguments.
     *
     * @param usage    the command with its arguments, for the messages
     * @param most     most operands
     * @param allowed  options of the command
     * @param args     the arguments
     * @throws IllegalArgumentException when they are not those of the command; the message says what is wrong and how to type it
     */
    static ConsoleArguments of(final String usage, final int most, final Set<String> allowed, final String... args) {
        final Set<String> options = new HashSet<>();
        final List<String> operands = new ArrayList<>();
        for (final String arg : args) {
            if (arg.equals("--connect") || arg.startsWith("--connect=")) {
                throw new IllegalArgumentException("the console asks the node of its container: leave out --connect; usage: " + usage);
            }
            if (arg.startsWith("-") && !allowed.contains(arg)) {
                throw new IllegalArgumentException("unknown option: " + arg + "; usage: " + usage);
            }
            if (arg.startsWith("-")) {
                options.add(arg);
            } else {
                operands.add(arg);
            }
        }
        if (operands.size() > most) {
            throw new IllegalArgumentException("too many arguments: " + String.join(" ", operands) + "; usage: " + usage);
        }
        return new ConsoleArguments(options, operands);
    }

    boolean has(final String option) {
        return options.contains(option);
    }
}
