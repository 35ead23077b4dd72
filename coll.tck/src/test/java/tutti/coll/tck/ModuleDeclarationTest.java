package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.QueryResult;

class ModuleDeclarationTest {
    @TempDir
    private Path folder;

    /** Declared as it is. */
    private @interface Fitting {
        /** A number. */
        int k() default 2;

        /** A text. */
        String text() default "none";
    }

    /** Declared as another module's, with another default, without one element, and with one too many. */
    private @interface Misfit {
        /** A number. */
        int k() default 2;

        /** Not declared. */
        boolean untold() default true;
    }

    /** Not declared at all. */
    private @interface Nowhere {
    }

    @ProvidesCollectives(value = "some", operations = {"barrier", "bcast"})
    private static final class Some implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Declined("offers nothing");
        }
    }

    private static final class Unmarked implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Declined("offers nothing");
        }
    }

    private static ModuleDeclaration fitting() {
        return ModuleDeclaration.of(Some.class, Fitting.class);
    }

    private List<String> mismatchesOfReadme(final String... lines) throws IOException {
        return fitting().mismatches(Files.write(folder.resolve("README.md"), List.of(lines)));
    }

    @Test
    void shouldReadNameAndOperations() {
        final ModuleDeclaration declaration = ModuleDeclaration.of(Some.class);
        assertEquals("some", declaration.name());
        assertEquals(List.of("barrier", "bcast"), declaration.operations());
        assertEquals(List.of(), declaration.mismatches());
    }

    @Test
    void shouldReadParametersAndAcceptAMatchingMetatype() {
        assertEquals(new ModuleDeclaration.Parameter("Integer", "2", "1"), fitting().parameters().get("k"));
        assertEquals(new ModuleDeclaration.Parameter("String", "none", ""), fitting().parameters().get("text"));
        assertEquals(List.of(), fitting().mismatches());
    }

    @Test
    void shouldFindMismatchesOfTheMetatype() {
        final List<String> mismatches = ModuleDeclaration.of(Some.class, Misfit.class).mismatches().stream()
            .map(f -> f.replaceAll(", (metatype|annotation)=.*", ""))
            .sorted().toList();
        assertEquals(List.of("metatype differs from annotation: parameter=k", "metatype differs from annotation: parameter=untold",
            "not read by the module: parameter=gone", "parameters of another module: pid=coll.other, module=some"), mismatches);
    }

    @Test
    void shouldAcceptAMatchingReadme() throws IOException {
        assertEquals(List.of(), mismatchesOfReadme("# some", "| `coll.some.k` | number | 2 | 1 | a number |",
            "| `coll.some.text` | words | none | | a text |"));
    }

    @Test
    void shouldFindMismatchesOfAReadme() throws IOException {
        assertEquals(List.of(
            "README differs from metatype: row=| `coll.some.k` | number | 3 | 1 | a |, metatype=Parameter[type=Integer, defaultValue=2, min=1]",
            "README differs from metatype: row=| `coll.some.m` | number | 2 | 1 | a |, metatype=null",
            "missing in the README: parameter=text"),
            mismatchesOfReadme("| `coll.some.k` | number | 3 | 1 | a |", "| `coll.some.m` | number | 2 | 1 | a |"));
    }

    @Test
    void shouldRefuseWhatIsNotDeclared() {
        assertEquals("not marked with ProvidesCollectives: module=" + Unmarked.class.getName(),
            assertThrows(IllegalArgumentException.class, () -> ModuleDeclaration.of(Unmarked.class)).getMessage());
        assertEquals("not in the bundle: resource=/OSGI-INF/metatype/" + Nowhere.class.getName() + ".xml, module=" + Some.class.getName(),
            assertThrows(IllegalArgumentException.class, () -> ModuleDeclaration.of(Some.class, Nowhere.class)).getMessage());
    }
}
