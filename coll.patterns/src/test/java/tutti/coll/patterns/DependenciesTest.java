package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DependenciesTest {
    @Test
    void shouldListAllTasksInTheOrderOfAdding() {
        final Dependencies tasks = new Dependencies().add(3).add().add(IntStream.range(10, 40).toArray()).add(1, 2);
        assertArrayEquals(IntStream.concat(IntStream.of(3), IntStream.concat(IntStream.range(10, 40), IntStream.of(1, 2))).toArray(), tasks.all());
        assertArrayEquals(Dependencies.NONE, new Dependencies().all());
    }
}
