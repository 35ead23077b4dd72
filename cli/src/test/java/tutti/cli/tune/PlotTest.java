package tutti.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PlotTest {

    @Test
    void shouldDrawALinePerAlgorithmInAChartPerOperationAndSetting() throws Exception {
        final Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(Plot.of(List.of(
            new Measurement(new TuneSetting("bcast", 2, 1, 8), "basic/binomial", 1.5),
            new Measurement(new TuneSetting("bcast", 2, 1, 64), "basic/binomial", 2.5),
            new Measurement(new TuneSetting("bcast", 2, 1, 8), "tree/knomial", 0),
            new Measurement(new TuneSetting("barrier", 2, 2, 0), "basic/dissemination", 30)))
            .getBytes(StandardCharsets.UTF_8)));
        assertEquals("svg", svg.getDocumentElement().getTagName());
        assertEquals(2, svg.getElementsByTagName("g").getLength());
        assertEquals(3, svg.getElementsByTagName("polyline").getLength());
        assertEquals(4, svg.getElementsByTagName("circle").getLength());
    }
}
