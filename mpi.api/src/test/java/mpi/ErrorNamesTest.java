package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tutti.runtime.model.ErrorClass;

class ErrorNamesTest {
    private static Map<Integer, String> constants() throws Exception {
        final Map<Integer, String> names = new HashMap<>();
        for (final Field f : MPI.class.getFields()) {
            if (f.getType() == int.class && (f.getName().startsWith("ERR_") || f.getName().equals("SUCCESS"))) {
                assertNull(names.put(ClassBoundaryTest.constant(f.getName()), f.getName()), "two of one value: " + f.getName());
            }
        }
        return names;
    }

    @Test
    void shouldNameEveryErrorClassThatClassMpiHas() throws Exception {
        final Map<Integer, String> names = constants();
        assertEquals(64, names.size());
        names.forEach((code, name) -> {
            assertEquals("MPI_" + name, ErrorNames.of(code));
            assertTrue(ErrorNames.text(code).startsWith("MPI_" + name + ": ") && ErrorNames.text(code).length() < MPI.MAX_ERROR_STRING, name);
        });
        for (int code = -100; code < 200; code++) {
            assertEquals(names.containsKey(code), ErrorNames.of(code) != null, "code " + code);
        }
        assertEquals("error code 60", ErrorNames.text(60));
    }

    @Test
    void shouldAgreeWithTheErrorClassesOfTheRuntime() {
        for (final ErrorClass c : ErrorClass.values()) {
            assertEquals(c == ErrorClass.SUCCESS ? "MPI_SUCCESS" : "MPI_ERR_" + c.name(), ErrorNames.of(c.code()));
            assertEquals(ErrorNames.of(c.code()) + ": " + c.text(), ErrorNames.text(c.code()));
        }
    }
}
