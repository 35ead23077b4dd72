package tutti.daemon.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsoleArgumentsTest {
    private static final String USAGE = "tutti:ps [JOB] [--json]";

    private static ConsoleArguments of(final String... args) {
        return ConsoleArguments.of(USAGE, 1, Set.of("--json"), args);
    }

    @Test
    void shouldTakeOptionsAndOperandsInAnyOrder() {
        assertEquals(new ConsoleArguments(Set.of(), List.of()), of());
        assertEquals(new ConsoleArguments(Set.of("--json"), List.of("a-1")), of("--json", "a-1"));
        assertEquals(new ConsoleArguments(Set.of("--json"), List.of("a-1")), of("a-1", "--json"));
    }

    @ParameterizedTest
    @CsvSource({"--xml,unknown option: --xml", "--connect=a:1,the console asks the node of its container: leave out --connect",
        "a b,too many arguments: a b"})
    void shouldSayWhatIsWrongAndHowToTypeIt(final String args, final String message) {
        final IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> of(args.split(" ")));
        assertEquals(message + "; usage: " + USAGE, e.getMessage());
    }
}
