package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of {@link ModuleParameters}. */
class ModuleParametersTest {
    /** Parameters of a module, as it declares them. */
    @interface Declared {
        /** A number. */
        int k() default 4;

        /** A text. */
        String mode() default "fast";

        /** Some numbers. */
        int[] sizes() default {1, 2};
    }

    /** The same names with other types. */
    @interface Other {
        /** A number. */
        long k() default 9;
    }

    private final ModuleParameters parameters =
        new ModuleParameters(Map.of("coll.one.k", "7", "coll.one.sizes", "3", "coll.two.mode", "slow", "coll.onek", "8"));

    @Test
    void shouldReadValuesAndDefaultsOfEachModule() {
        final Declared one = parameters.of("coll.one", Declared.class);
        final Declared two = parameters.of("coll.two", Declared.class);
        for (int times = 0; times < 2; times++) {
            assertEquals(7, one.k());
            assertEquals("fast", one.mode());
            assertEquals(4, two.k());
            assertEquals("slow", two.mode());
        }
        assertEquals(7L, parameters.of("coll.one", Other.class).k());
    }

    @Test
    void shouldBindAModulesTypeOnce() {
        assertSame(parameters.of("coll.one", Declared.class), parameters.of("coll.one", Declared.class));
    }

    @Test
    void shouldGiveEachCallerAnArrayOfItsOwn() {
        final Declared one = parameters.of("coll.one", Declared.class);
        assertArrayEquals(new int[] {3}, one.sizes());
        assertNotSame(one.sizes(), one.sizes());
    }

    @Test
    void shouldKeepWhatWasBoundToTypesOfTheClassLoadersThatStay() {
        final Declared one = parameters.of("coll.one", Declared.class);
        assertSame(one, parameters.keptFor(Set.of(Declared.class.getClassLoader())).of("coll.one", Declared.class));
        assertNotSame(one, parameters.keptFor(Set.of(ClassLoader.getPlatformClassLoader())).of("coll.one", Declared.class));
    }
}
