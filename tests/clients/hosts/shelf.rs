//! Resources as tools, and skills: see README.md one folder up.

use wellhead::{Json, Page, Resource, Server, Skills, Template, Verdict, serve};

fn main() -> wellhead::Result<()> {
    let server = Server::builder("shelf", "1.0.0").resources_as_tools(true).build()?;
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("--skills"), Some(folder)) => drop(server.skills(Skills::new(folder))?),
        (Some("--skills"), None) => skills(&server)?,
        (Some("--empty"), _) => {}
        _ => shelf(&server)?,
    }
    serve::stdio(&server)
}

fn skills(server: &Server) -> wellhead::Result<()> {
    server.skill_list("library", |call| -> wellhead::Result<_> {
        let mut page = Page::new(Vec::<Resource>::new());
        let uris = (0..5).map(|n| format!("skill://team/skill-{n}/SKILL.md"));
        let rest: Vec<_> = uris.filter(|uri| call.after().is_none_or(|after| uri.as_str() > after)).collect();
        for uri in rest.iter().take(call.limit().min(2)) {
            let name = uri.split('/').nth(3).unwrap_or_default();
            let front = format!(r#"{{"name":"{name}","description":"One of five."}}"#);
            page.push_skill(&Json::parse(format!(r#"{{"uri":"{uri}","frontmatter":{front}}}"#))?);
        }
        Ok(page.more(rest.len() > 2))
    })?;
    let file = Template::new("skill://team/{name}/SKILL.md").mime_type("text/markdown");
    server.template(file, |call| {
        let name = call.var("name").unwrap_or_default().to_owned();
        name.starts_with("skill-").then_some(name)
    })?;
    Ok(())
}

fn shelf(server: &Server) -> wellhead::Result<()> {
    let open = Resource::new("shelf://open").name("open").description("For all").mime_type("text/plain");
    server.text(open, "open content")?;
    server.blob(Resource::new("shelf://bytes").mime_type("application/octet-stream"), b"\x00\x01\x02\x03")?;
    server.blob(Resource::new("shelf://logo").mime_type("image/png"), b"\x89PNG\r\n\x1a\n")?;
    server.text("shelf://hidden", "hidden content")?;
    server.text("shelf://denied", "denied content")?;
    let profile =
        Template::new("shelf://users/{user}/profile{?lang}").name("profile").description("Says who that is");
    server.template(profile, |call| {
        format!("Profile of {} in {}", call.var("user").unwrap_or_default(), call.var("lang").unwrap_or("en"))
    })?;
    let about = Json::parse(r#"{"description":"Answers by itself","inputSchema":{"type":"object"}}"#)?;
    server.tool("own", &about, |_| Json::parse(r#"{"content":[{"type":"text","text":"own answer"}]}"#))?;
    server.authorize(|call| {
        let verdict = |uri: &str| match uri {
            "shelf://hidden" => Verdict::Hide,
            "shelf://denied" => Verdict::Deny,
            _ => Verdict::Allow,
        };
        call.targets().map(verdict).collect::<Vec<_>>()
    })
}
