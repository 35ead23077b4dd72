package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;

@Timeout(120)
@ExtendWith(RankStreamsExtension.class)
class MainMethodTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Mains", """
            import static java.lang.System.out;
            class PackageStatic { static void main(String... args) { out.println(args.length); } }
            class Both { static void main() { out.println("none"); } protected void main(String[] args) { out.println(args.length); } }
            class NoArguments { static void main() { out.println("none"); } }
            class Instance { void main() { out.println("instance"); } }
            class InstanceWithArguments { Instance i = new Instance(); public void main(String[] args) { i.main(); out.println(args[0]); } }
            class Inherits extends InstanceWithArguments { }
            interface Default { default void main(String[] args) { out.println("default"); } }
            class Implements implements Default { }
            interface StaticOfInterface { static void main(String[] args) { out.println("static"); } }
            class NotVoid { static int main(String[] args) { return 0; } void main() { out.println("second"); } }
            class None { static void mane(String[] args) { } private static void main(String[] args) { } }
            class OfStaticInterface implements StaticOfInterface { }
            abstract class Abstract { void main() { } }
            class NeedsArgument { NeedsArgument(int i) { } void main() { } }
            class PrivateConstructor { private PrivateConstructor() { } void main() { } }
            """));
    }

    @ParameterizedTest
    @CsvSource({"PackageStatic,1", "Both,1", "NoArguments,none", "Instance,instance", "InstanceWithArguments,instance x", "Inherits,instance x",
        "Implements,default", "StaticOfInterface,static", "NotVoid,second"})
    void shouldFindTheMainMethodAsTheJavaCommandDoes(final String program, final String expected) {
        try (TestRank rank = new TestRank(folder, program, "x")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertEquals(expected, rank.out().strip().replace('\n', ' '));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "None|class has no main method: class=None; declare public static void main(String[] args), or void main()",
        "OfStaticInterface|class has no main method: class=OfStaticInterface; declare public static void main(String[] args), or void main()",
        "Abstract|main is not static and its class is abstract: class=Abstract",
        "NeedsArgument|main is not static and its class has no constructor without parameters: class=NeedsArgument",
        "PrivateConstructor|main is not static and the constructor of its class is private: class=PrivateConstructor"})
    void shouldSayWhyAClassCannotBeStarted(final String program, final String expected) {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(new RankOutcome(Kind.FAILED, 1, expected), rank.run());
        }
    }
}
