package tutti.daemon.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsoleArgumentsTest {
    private static final String USAGE = "tutti:ps [JOB] [--json]";

    private static ConsoleArguments of(final String... args) {
        return new ConsoleArguments.Syntax(USAGE, 1, Set.of("--json"), Set.of("--remove")).read(args);
    }

    @Test
    void shouldTakeOptionsAndOperandsInAnyOrder() {
        assertEquals(new ConsoleArguments(Map.of(), List.of()), of());
        assertEquals(new ConsoleArguments(Map.of("--json", List.of()), List.of("a-1")), of("--json", "a-1"));
        assertEquals(new ConsoleArguments(Map.of("--json", List.of()), List.of("a-1")), of("a-1", "--json"));
        assertEquals(new ConsoleArguments(Map.of("--remove", List.of("a-1")), List.of("b")), of("--remove", "a-1", "b"));
        assertEquals(new ConsoleArguments(Map.of("--remove", List.of("b", "a=1")), List.of()), of("--remove", "b", "--remove=a=1"));
    }

    @ParameterizedTest
    @CsvSource({"--xml,unknown option: --xml", "--connect=a:1,the console asks the node of its container: leave out --connect",
        "a b,too many arguments: a b", "--json=yes,unknown option: --json=yes", "--remove,missing value: --remove"})
    void shouldSayWhatIsWrongAndHowToTypeIt(final String args, final String message) {
        final IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> of(args.split(" ")));
        assertEquals(message + "; usage: " + USAGE, e.getMessage());
    }
}
