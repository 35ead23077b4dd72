package tutti.web;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tutti.runtime.process.LogLines;

/** Tests what a node says that cannot serve its live page. */
class PageComponentTest {
    @RegisterExtension
    private final LogLines log = new LogLines(PageComponent.class);
    private final TestCluster cluster = new TestCluster();

    @Test
    void shouldSayThatThePortIsTaken() throws Exception {
        try (PageServer other = PageServer.start(0, cluster)) {
            final String port = other.address().substring(other.address().lastIndexOf(':') + 1);
            // without a server there is nothing to register
            new PageComponent(null, Map.of("port", port), cluster).close();
            log.assertLine("node a serves no live page: tutti.web.port=" + port + ", reason=");
        }
    }
}
