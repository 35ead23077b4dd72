package tutti.runtime.process.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.Instruction;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class InstructionsTest {
    @Test
    void shouldUnderstandAllInstructionsOfLargeClasses() throws IOException {
        for (final Class<?> type : List.of(ConcurrentHashMap.class, java.util.Formatter.class, java.math.BigInteger.class, Thread.class)) {
            try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
                final byte[] file = in.readAllBytes();
                assertEquals(instructions(file), ownInstructions(file), type.getName());
            }
        }
    }

    private static List<Integer> instructions(final byte[] file) {
        return ClassFile.of().parse(file).methods().stream().flatMap(method -> method.code().stream())
            .map(code -> (int) code.elementStream().filter(Instruction.class::isInstance).count()).toList();
    }

    private static List<Integer> ownInstructions(final byte[] file) {
        return ClassFile.of().parse(file).methods().stream().flatMap(method -> method.findAttribute(Attributes.code()).stream())
            .map(code -> count(code.codeArray())).toList();
    }

    private static int count(final byte[] code) {
        int count = 0;
        for (int at = 0; at < code.length; at += Instructions.length(code, at, 0)) {
            count++;
        }
        return count;
    }
}
